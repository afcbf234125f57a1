"""Parts of the technique `maze`: where its places lie, and how links between them are chosen."""
