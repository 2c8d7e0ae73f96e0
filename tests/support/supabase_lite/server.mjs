// node server.mjs SOCKET_FOLDER LOGIN JWT_SECRET PUBLISHABLE_KEY SECRET_KEY
//
// A stand-in for Supabase: @supabase/lite, its own TypeScript form of PostgREST and GoTrue, over every database of a
// Postgres server, each under a path of its own. A client is made for http://127.0.0.1:PORT/<database>; DELETE of that
// path lets go of the database. Prints the port when it listens, and ends with whoever started it.
//
// What it does otherwise than Supabase, and what is made up for here, is said where that is done.

import { serve } from "@hono/node-server";
import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";

const [folder, user, jwt_secret, publishable_key, secret_key] = process.argv.slice(2);
const auth = { enabled: true, jwt_secret, jwt_expiry: 3600, enable_signup: true, publishable_key, secret_key };
const apps = new Map();

// Arguments that are JSON come to the driver as text, and it would write them out as JSON once more.
const passed = (type) => ({
  to: type,
  from: [type],
  serialize: (value) => (typeof value === "string" ? value : JSON.stringify(value)),
  parse: JSON.parse,
});

// Only some of Postgres's SQLSTATEs get through, and none of a function's own: the rest becomes "SUP". PostgREST passes
// all of them on, with these states of HTTP (its documentation, "Errors"); the form of "PGRST" gets through.
function told(error) {
  if (error?.name !== "PostgresError" || error.code === "PGRST" || error.code === "42501") return error;
  const { code, message, detail: details = null, hint = null } = error;
  const status =
    { 23503: 409, 23505: 409, 25006: 405, 42883: 404, "42P01": 404, "42P17": 500, P0001: 400, 53400: 500 }[code] ??
    { "08": 503, 53: 503, "0L": 403, "0P": 403, 28: 403, 54: 413 }[code.slice(0, 2)] ??
    (/^(09|25|2D|38|39|3B|40|55|57|58|F0|HV|P0|XX)/.test(code) ? 500 : 400);
  return Object.assign(new Error(JSON.stringify({ code, message, details, hint })), {
    code: "PGRST",
    detail: JSON.stringify({ status, headers: {} }),
  });
}

async function appFor(database) {
  const connection = createPostgresConnection({
    url: `postgresql://${user}@localhost/${database}`,
    postgresOptions: {
      path: `${folder}/.s.PGSQL.5432`,
      max: 10,
      types: { json: passed(114), jsonb: passed(3802) },
    },
  });
  connection.normalizeDbError = told;
  const app = new App({
    connection,
    api: { enabled: true, schemas: ["public", "memoranda"] },
    auth: { ...auth, email: { enable_confirmations: false } },
    options: { server: { admin: false } }, // else whoever comes from this machine without a key may do everything
  });
  await app.ensureSystemSchema();
  // Before its first call it grants all tables that have row-level security to everybody. Supabase does not, and our
  // login may not, which it takes for done.
  await connection.ensureRlsContext().catch(() => undefined);
  return app;
}

// GoTrue sends times as in RFC 3339, on which supabase-py insists; here they come as Postgres writes them.
const dated = (text) => text.replace(/"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)\+00"/g, '"$1T$2Z"');

async function answer(request, env) {
  const url = new URL(request.url);
  const [, database, ...path] = url.pathname.split("/");
  if (request.method === "DELETE" && !path.length) {
    await (await apps.get(database))?.connection.close();
    apps.delete(database);
    return new Response(null, { status: 204 });
  }
  if (!apps.has(database)) apps.set(database, appFor(database));
  url.pathname = `/${path.join("/")}`;
  const body = ["GET", "HEAD"].includes(request.method) ? undefined : await request.arrayBuffer();
  const asked = new Request(url, { method: request.method, headers: request.headers, body });
  const app = await apps.get(database);
  const found = await app.fetch(asked, { peerAddress: env.incoming.socket.remoteAddress ?? null });
  if (path[0] !== "auth") return found;
  const headers = new Headers(found.headers);
  headers.delete("content-length");
  const text = [204, 304].includes(found.status) ? null : dated(await found.text());
  return new Response(text, { status: found.status, headers });
}

console.error = () => undefined; // it writes out every error of a call, which may quote what was sent
serve({ port: 0, hostname: "127.0.0.1", fetch: answer }, ({ port }) => console.log(port));
process.stdin.on("end", () => process.exit()).resume();
