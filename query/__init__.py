"""Answer questions: lineage and impact by three methods, paths, differences and exports."""
