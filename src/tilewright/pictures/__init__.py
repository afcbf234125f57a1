"""Pictures of many maps: charts of their measures, and sheets of the maps themselves."""
