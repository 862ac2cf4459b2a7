import fc from "fast-check";
import { expect, test } from "vitest";
import { CsvError, readCsv } from "../../src/base/csv.ts";

const limits = { columns: 10, lines: 10 };
const cellsOf = (text: string) => readCsv(text, limits).map(({ line, cells }) => [line, ...cells]);

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
      readCsv(text, limits);
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
      expect(readCsv(text, limits).map(({ cells }) => cells)).toEqual([["one", "two"], ...kept]);
    }),
  );
});

test("[BCV4] a table with more columns or lines than the limits is refused where it exceeds them; one right at the limits is read", () => {
  const table = (columns: number, lines: number): string =>
    Array.from({ length: lines }, () => Array.from({ length: columns }, () => "x").join()).join("\n");
  expect(readCsv(`${table(10, 11)}\n\n`, limits).map(({ cells }) => cells.length)).toEqual(Array.from({ length: 11 }, () => 10));
  expect(() => readCsv(`a\n${table(11, 1)}`, limits)).toThrow(
    expect.objectContaining({ line: 2, message: expect.stringContaining("at most") }),
  );
  expect(() => readCsv(table(1, 12), limits)).toThrow(
    expect.objectContaining({ line: 12, message: expect.stringContaining("more than 10 lines") }),
  );
});
