/**
 * TypeScript source without its comments, so that a rule about code is not broken by a sentence about it. Strings
 * stay. Line numbers stay: a comment becomes white space.
 */

/** Before a slash that begins a regular expression, not a division. */
const BEFORE_REGEX = /(^|[(,=:[!&|?{};+\-*%~^<>]|\b(return|typeof|case|of|in|do|else|void|yield|await))\s*$/;

export function withoutComments(source: string): string {
  let code = "";
  let at = 0;
  /** Braces open inside each `${` of the template literals around. */
  const templates: number[] = [];
  while (at < source.length) {
    const rest = source.slice(at, at + 2);
    const char = source[at]!;
    let end = at + 1;
    if (rest === "//") {
      end = indexOrEnd(source, "\n", at);
      at = end;
      continue;
    }
    if (rest === "/*") {
      end = indexOrEnd(source, "*/", at) + 2;
      code += source.slice(at, end).replace(/[^\n]/g, " ");
      at = end;
      continue;
    }
    if (char === '"' || char === "'") end = endOfQuoted(source, at, char);
    else if (char === "`") end = endOfTemplatePart(source, at + 1, templates);
    else if (char === "/" && BEFORE_REGEX.test(code.slice(-40))) end = endOfRegex(source, at);
    else if (templates.length > 0 && char === "{") templates[templates.length - 1]!++;
    else if (templates.length > 0 && char === "}") {
      if (templates.at(-1) === 0) {
        templates.pop();
        end = endOfTemplatePart(source, at + 1, templates);
      } else templates[templates.length - 1]!--;
    }
    code += source.slice(at, end);
    at = end;
  }
  return code;
}

/** The 1-based line of a position. */
export function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

function indexOrEnd(source: string, wanted: string, from: number): number {
  const found = source.indexOf(wanted, from);
  return found === -1 ? source.length : found;
}

function endOfQuoted(source: string, start: number, quote: string): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === quote || source[at] === "\n") return at + 1;
  }
  return source.length;
}

/** Up to the end of the literal, or behind a `${`, whose code is read as such. */
function endOfTemplatePart(source: string, start: number, templates: number[]): number {
  for (let at = start; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "`") return at + 1;
    else if (source[at] === "$" && source[at + 1] === "{") {
      templates.push(0);
      return at + 2;
    }
  }
  return source.length;
}

function endOfRegex(source: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < source.length; at++) {
    const char = source[at];
    if (char === "\\") at++;
    else if (char === "\n") return at;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) return at + 1;
  }
  return source.length;
}
