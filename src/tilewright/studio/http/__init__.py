"""HTTP: the routes under /api with their bodies and responses, and the server with its protections."""
