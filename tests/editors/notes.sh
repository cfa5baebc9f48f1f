# The notes that every editor's check opens, written to the folder named first.
mkdir -p "$1"
printf '# Index\n' >"$1/MEMORY.md"
printf 'x = "# [[nowhere]]"\n# see [[target]] and [[lost]]\n' >"$1/code.py"
printf -- '---\nname: start\ndescription: Where to begin\n---\n\n# Start\n\n🗺 See [[target]] and [[nowhere]].\n' >"$1/start.md"
printf -- '---\nname: target\ndescription: What the link leads to\n---\n\n# Target\n\nText.\n' >"$1/target.md"
