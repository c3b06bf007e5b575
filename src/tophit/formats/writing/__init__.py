"""What the writers of formats share: what is lost, and folders written whole."""
