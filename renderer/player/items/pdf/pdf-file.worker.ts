// The worker of pdf-file.ts: the build puts pdf.js's own worker into a file of the page's origin.
import "pdfjs-dist/build/pdf.worker.min.mjs";
