//! What a script looks like before it is run. Pure, and only a first guess: the engine's parser has
//! the last word.

const FUNCTION = /^(async\s+)?function\b/;
const ARROW = /^(async\s*)?(\([\s\S]*?\)|[\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=>/u;

/** Whether it may be one function expression and nothing else. */
export function looksLikeFunction(expression: string): boolean {
  const text = withoutLeadingComments(expression);
  return FUNCTION.test(text) || ARROW.test(text);
}

/** Whether it begins and ends like an object literal, which as a statement would be a block. */
export function looksLikeObject(expression: string): boolean {
  const text = expression.trim();
  return text.startsWith("{") && text.endsWith("}");
}

function withoutLeadingComments(expression: string): string {
  return expression.replace(/^(\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)+/, "");
}
