import fc from "fast-check";
import { expect, test } from "vitest";
import { CsvError, readCsv } from "../../src/base/csv.ts";

const cellsOf = (text: string) => readCsv(text).map(({ line, cells }) => [line, ...cells]);

test("[BCV1] tables with comma, semicolon or tab, quoted cells, line breaks in cells, a byte order mark and empty lines are read", () => {
  expect(cellsOf('\uFEFFa,b\r\n1,"x, ""y"""\r\n\r\n2,"two\nlines"\n3,')).toEqual([
    [1, "a", "b"],
    [2, "1", 'x, "y"'],
    [4, "2", "two\nlines"],
    [6, "3", ""],
  ]);
  expect(cellsOf("a;b\n1,5;2")).toEqual([
    [1, "a", "b"],
    [2, "1,5", "2"],
  ]);
  expect(cellsOf("a\tb")).toEqual([[1, "a", "b"]]);
  expect(cellsOf("")).toEqual([]);
});

test("[BCV2] a quotation mark that is not closed, or that text follows, is an error with its line", () => {
  const errorOf = (text: string): [number, string] | null => {
    try {
      readCsv(text);
      return null;
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      return [error.line, error.message];
    }
  };
  expect(errorOf('a\n"b')).toEqual([2, "a quotation mark is not closed"]);
  expect(errorOf('a\n"b"c')?.[0]).toBe(2);
});

test("[BCV3] what is written as RFC 4180 says is read as it was", () => {
  const cell = fc.string({ maxLength: 8 });
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(table, (lines) => {
      const text = [["one", "two"], ...lines].map((cells) => cells.map((each) => `"${each.replaceAll('"', '""')}"`).join(",")).join("\n");
      const kept = lines.filter((cells) => cells.some((each) => each.trim() !== ""));
      expect(readCsv(text).map(({ cells }) => cells)).toEqual([["one", "two"], ...kept]);
    }),
  );
});
