"""How rows are drawn: which train, which validate, which test; scikit-learn's splitters wherever one exists."""
