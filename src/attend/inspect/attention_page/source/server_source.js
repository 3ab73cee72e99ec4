// The source of a page that a server gave.
async function call(path, body, signal) {
  const key = sessionStorage.getItem("key");
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  if (body) headers["Content-Type"] = "application/json";
  const response = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal });
  if (response.ok) return response;
  if (response.status === 401 || response.status === 403) throw new Error("This server needs a key: enter it on the page of jobs.");
  const answer = await response.json().catch(() => ({}));
  throw new Error(answer.error ?? response.statusText);
}
