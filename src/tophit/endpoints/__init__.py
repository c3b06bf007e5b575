"""Systems behind an address: what may be tried again, keys from the environment, JSON over HTTP.

retries.py      another try where it may help, with longer and longer waits
keys.py         variables of the environment in headers, never printed
http.py         one request, one JSON value, and errors that say what to do
embeddings.py   the embeddings of an endpoint that speaks OpenAI's protocol
"""
