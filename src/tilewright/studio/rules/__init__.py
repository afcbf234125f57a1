"""Tab Rules: editor of rulebooks."""
