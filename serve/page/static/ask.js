// Questions to the server. The key is a header: a cookie would be sent to every port of this machine.

const KEY = "provhouse key";

export const key = () => localStorage.getItem(KEY);

export function keep(value) {
  if (value) localStorage.setItem(KEY, value);
  else localStorage.removeItem(KEY);
}

/** An error of the server in its three parts, as people read them. */
class Problem extends Error {
  constructor(found) {
    super(found.title);
    this.detail = found.detail ?? "";
    this.remedy = found.remedy ?? "";
    this.status = found.status ?? 0;
  }
}

/** Post a question, and return the answer. Throws a Problem, or an AbortError. */
export async function ask(route, question = {}, { signal, token = key() } = {}) {
  const body = JSON.stringify(question);
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  let reply;
  try {
    reply = await fetch(`/v1/${route}`, { method: "POST", headers, body, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({
      title: "The server does not answer",
      detail: "It may have ended, or the connection is lost",
      remedy: "Start it with `provhouse up`, and open the link that it prints",
    });
  }
  const text = await reply.text();
  if (reply.ok) return JSON.parse(text);
  try {
    throw new Problem(JSON.parse(text));
  } catch (error) {
    throw error instanceof Problem ? error : new Problem({ title: text, status: reply.status });
  }
}
