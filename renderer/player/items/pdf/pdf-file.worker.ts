// The worker behind pdf-file.ts: pdf.js's own, built into a file of the page's origin.
import "pdfjs-dist/build/pdf.worker.min.mjs";
