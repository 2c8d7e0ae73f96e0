"""Long-term memory for clients of the Model Context Protocol: a server with six tools, for one user or for many."""

from memoranda_mcp.server import INSTRUCTIONS, memory_server
from memoranda_mcp.serving import http_app, serve_http, serve_stdio
from memoranda_mcp.tokens import JWTVerifier, key_set_of

__all__ = ["INSTRUCTIONS", "JWTVerifier", "http_app", "key_set_of", "memory_server", "serve_http", "serve_stdio"]
