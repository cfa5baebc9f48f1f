"""The memory graph: notes, tags and clusters, the edges between them, and who neighbours whom.

A `Graph` is immutable. `updated` gives the graph after some notes changed; it equals one built from scratch and costs
what changed, not what exists. Semantics: `docs/protocol.md`, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from memory_lsp.core.tables import Moves, Table, renewed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from memory_lsp.core.clusters import Cluster

# (name, type order, path, ...): any tuple of comparable parts, of the same shape for every note.
SortKey: TypeAlias = "tuple[str | int, ...]"


class NodeKind(StrEnum):
    """What a node stands for; the values are those of the protocol."""

    MEMORY = "Memory"
    TAG = "Tag"
    CLUSTER = "Cluster"


class EdgeKind(StrEnum):
    """What an edge says; the values are those of the protocol."""

    SUPERSEDES = "Supersedes"
    HAS_TAG = "HasTag"
    RELATES_TO = "RelatesTo"
    IN_CLUSTER = "InCluster"
    CONTRADICTS = "Contradicts"
    # Steps of a path that the spread ranker walks; the graph itself has no such edges.
    MENTIONS = "Mentions"
    SAME_SESSION = "SameSession"


WEIGHTS: Mapping[EdgeKind, float] = MappingProxyType(
    {
        EdgeKind.SUPERSEDES: 0.9,
        EdgeKind.HAS_TAG: 0.8,
        EdgeKind.RELATES_TO: 0.7,
        EdgeKind.IN_CLUSTER: 0.6,
        EdgeKind.CONTRADICTS: 0.0,
    }
)

_TIES = (EdgeKind.RELATES_TO, EdgeKind.SUPERSEDES)
# The order in which one note's edges are listed; HasTag comes before all of them.
_LISTED = (EdgeKind.RELATES_TO, EdgeKind.SUPERSEDES, EdgeKind.CONTRADICTS)


@dataclass(frozen=True, slots=True)
class Node:
    """A note, a tag or a cluster."""

    id: str
    kind: NodeKind
    label: str


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge; retrieval walks it both ways."""

    source: str
    target: str
    kind: EdgeKind

    @property
    def weight(self) -> float:
        """Return the share of a score that crosses the edge."""
        return WEIGHTS[self.kind]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A node at the other end of an edge; `direction` is seen from the node asked about."""

    id: str
    kind: EdgeKind
    direction: Literal["in", "out"]


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one note adds to the graph.

    `order` places the note in the list of notes. `tags` are as written. `edges` are resolved and in the order of the
    note's text; a Supersedes edge may start at another note (`superseded_by`).
    """

    node: Node
    order: SortKey
    tags: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()


def tag_id(tag: str) -> str:
    """Return the id of the node of a tag, however its case is written."""
    return f"tag:{tag.lower()}"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A contribution with its edges cleaned, and grouped by the note they touch."""

    contribution: Contribution
    tags: Mapping[str, str]  # tag id → as first written in this note
    edges: tuple[Edge, ...]
    links: Mapping[str, tuple[Neighbour, ...]]

    @classmethod
    def of(cls, contribution: Contribution) -> _Entry:
        tags: dict[str, str] = {}
        for tag in contribution.tags:
            tags.setdefault(tag_id(tag), tag)
        distinct = dict.fromkeys(edge for edge in contribution.edges if edge.source != edge.target)
        edges = tuple(edge for kind in _LISTED for edge in distinct if edge.kind is kind)
        links: dict[str, tuple[Neighbour, ...]] = {}
        for edge in edges:
            links[edge.source] = (*links.get(edge.source, ()), Neighbour(edge.target, edge.kind, "out"))
            links[edge.target] = (*links.get(edge.target, ()), Neighbour(edge.source, edge.kind, "in"))
        return cls(contribution, tags, edges, links)

    @property
    def place(self) -> tuple[SortKey, str]:
        return self.contribution.order, self.contribution.node.id


_NOTHING = _Entry(Contribution(Node("", NodeKind.MEMORY, ""), ()), {}, (), {})


class Graph:
    """Notes, tags and clusters with the edges between them; immutable to its users.

    An edge whose other end is no note of the graph is left out for as long as that note is missing.
    """

    __slots__ = ("_cluster_of", "_clusters", "_entries", "_labels", "_memo", "_mentions", "_seen", "_tagged", "_ties")

    def __init__(self) -> None:
        """Make the empty graph; use `build` for any other."""
        self._entries: Table[str, _Entry] = Table()
        self._mentions: Table[str, AbstractSet[str]] = Table()  # note id → notes that contribute an edge touching it
        self._tagged: Table[str, AbstractSet[str]] = Table()  # tag id → notes with that tag
        self._clusters: dict[str, Cluster] = {}
        self._cluster_of: dict[str, str] = {}
        # Filled on demand, and shared with the graphs before and after. What is kept for a node counts while the entry,
        # group or cluster it was made from is still the node's: `updated` gives those another identity where needed.
        self._memo: dict[str, tuple[object, tuple[Neighbour, ...]]] = {}
        self._labels: dict[str, tuple[object, str]] = {}
        self._seen: dict[str, tuple[Neighbour, ...]] = {}  # neighbours that were asked of this very graph
        self._ties: dict[str, Mapping[str, EdgeKind]] = {}  # so with links

    @classmethod
    def build(cls, contributions: Iterable[Contribution]) -> Graph:
        """Return the graph of the notes given; of several with one id the last counts."""
        return cls().updated(contributions, ())

    def updated(self, changed: Iterable[Contribution], removed: Iterable[str]) -> Graph:
        """Return the graph after some notes came, changed or went; clusters stay until they are replaced.

        A note whose edges resolve otherwise because of the change belongs to `changed` too.
        """
        given = {each.node.id: each for each in changed}
        new = {
            key: _Entry.of(each)
            for key, each in given.items()
            if key not in self._entries or self._entries[key].contribution != each
        }
        gone = [key for key in dict.fromkeys(removed) if key in self._entries and key not in given]
        if not new and not gone:
            return self
        old = {key: self._entries[key] for key in (*new, *gone) if key in self._entries}
        graph = Graph()
        graph._entries = self._entries.updated(new, gone)
        mentions, tagged = Moves(), Moves()
        for id in (*new, *gone):
            before, after = old.get(id, _NOTHING), new.get(id, _NOTHING)
            mentions.note(id, before.links.keys(), after.links.keys())
            tagged.note(id, before.tags.keys(), after.tags.keys())
        graph._mentions, graph._tagged = mentions.applied(self._mentions), tagged.applied(self._tagged)
        graph._clusters, graph._cluster_of = self._clusters, self._cluster_of
        graph._memo, graph._labels = self._memo, self._labels
        graph._renew(self._stale(graph, old, new) - new.keys())
        for id in gone:
            self._memo.pop(id, None)
        return graph

    def with_clusters(self, clusters: Sequence[Cluster]) -> Graph:
        """Return the graph with exactly these clusters."""
        table = {cluster.id: cluster for cluster in clusters}
        if table == self._clusters:
            return self
        graph = Graph()
        graph._entries, graph._mentions, graph._tagged = self._entries, self._mentions, self._tagged
        graph._labels = self._labels
        graph._clusters = table
        graph._cluster_of = {member: cluster.id for cluster in clusters for member in cluster.members}
        moved = dict(self._cluster_of.items() ^ graph._cluster_of.items())
        graph._memo = {**self._memo}
        for key in (*moved, *self._clusters, *table):
            graph._memo.pop(key, None)
        return graph

    def node(self, id: str) -> Node | None:
        """Return the node with this id, or None."""
        if id in self._entries:
            return self._entries[id].contribution.node
        if id in self._tagged:
            return Node(id, NodeKind.TAG, self._label(id))
        if id in self._clusters:
            return Node(id, NodeKind.CLUSTER, self._clusters[id].label)
        return None

    def has_note(self, id: str) -> bool:
        """Tell whether a node with this id is there and is a note."""
        return id in self._entries

    def __contains__(self, id: object) -> bool:
        return id in self._entries or id in self._tagged or id in self._clusters

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self._entries) + len(self._tagged) + len(self._clusters)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return self.nodes() == other.nodes() and self.edges() == other.edges()

    __hash__ = None  # type: ignore[assignment]  # equality looks at every node and edge: no key of a dict

    def tags(self) -> Iterator[str]:
        """Yield the ids of all tags, in no particular order."""
        return iter(self._tagged)

    def neighbours(self, id: str) -> tuple[Neighbour, ...]:
        """Return the neighbours of a node along edges of both directions, by id, then kind (code points)."""
        found = self._seen.get(id)
        return self._remembered(id) if found is None else found

    def links(self, id: str) -> Mapping[str, EdgeKind]:
        """Return the notes that a link or a supersedes edge ties to a note, with the first kind of edge."""
        found = self._ties.get(id)
        if found is None:
            kinds: dict[str, EdgeKind] = {}
            for each in self.neighbours(id):
                if each.kind in _TIES:
                    kinds.setdefault(each.id, each.kind)
            found = self._ties[id] = kinds
        return found

    def nodes(self) -> tuple[Node, ...]:
        """Return the notes in list order, each followed by the tags it names first, then the clusters."""
        nodes: dict[str, Node] = {}
        for entry in self._listed():
            node = entry.contribution.node
            nodes[node.id] = node
            for id, label in entry.tags.items():
                nodes.setdefault(id, Node(id, NodeKind.TAG, label))
        for cluster in self._clusters.values():
            nodes[cluster.id] = Node(cluster.id, NodeKind.CLUSTER, cluster.label)
        return tuple(nodes.values())

    def edges(self) -> tuple[Edge, ...]:
        """Return the edges note by note: HasTag, RelatesTo, Supersedes, Contradicts; then InCluster, by cluster."""
        edges: dict[Edge, None] = {}
        for entry in self._listed():
            id = entry.contribution.node.id
            edges.update(dict.fromkeys(Edge(id, tag, EdgeKind.HAS_TAG) for tag in entry.tags))
            edges.update(
                dict.fromkeys(e for e in entry.edges if e.source in self._entries and e.target in self._entries)
            )
        for cluster in self._clusters.values():
            members = (member for member in cluster.members if member in self._entries)
            edges.update(dict.fromkeys(Edge(member, cluster.id, EdgeKind.IN_CLUSTER) for member in members))
        return tuple(edges)

    def _listed(self) -> list[_Entry]:
        return sorted(self._entries.values(), key=lambda entry: entry.place)

    def _label(self, id: str) -> str:
        members, known = self._tagged[id], self._labels.get(id)
        if known is None or known[0] is not members:
            first = min((self._entries[member] for member in members), key=lambda entry: entry.place)
            known = self._labels[id] = members, first.tags[id]
        return known[1]

    def _remembered(self, id: str) -> tuple[Neighbour, ...]:
        """Return the neighbours as this graph or one before it found them, else find them."""
        owner, known = self._owner(id), self._memo.get(id)
        if owner is None:
            return ()
        if known is None or known[0] is not owner:
            found = tuple(sorted(set(self._adjacent(id)), key=lambda each: (each.id, each.kind, each.direction)))
            known = self._memo[id] = owner, found
        self._seen[id] = known[1]
        return known[1]

    def _owner(self, id: str) -> object:
        return self._entries.get(id) or self._tagged.get(id) or self._clusters.get(id)

    def _renew(self, ids: Iterable[str]) -> None:
        """Give what belongs to some nodes another identity, so that nothing kept for them counts any more."""
        ids = tuple(ids)
        self._entries = self._entries.updated({id: replace(self._entries[id]) for id in ids if id in self._entries})
        self._tagged = self._tagged.updated({id: renewed(self._tagged[id]) for id in ids if id in self._tagged})
        clusters = {id: replace(self._clusters[id]) for id in ids if id in self._clusters}
        self._clusters = {**self._clusters, **clusters} if clusters else self._clusters

    def _adjacent(self, id: str) -> Iterator[Neighbour]:
        if id in self._entries:
            for contributor in self._mentions.get(id, ()):
                for neighbour in self._entries[contributor].links[id]:
                    if neighbour.id in self._entries:
                        yield neighbour
            for tag in self._entries[id].tags:
                yield Neighbour(tag, EdgeKind.HAS_TAG, "out")
            if id in self._cluster_of:
                yield Neighbour(self._cluster_of[id], EdgeKind.IN_CLUSTER, "out")
        for member in self._tagged.get(id, ()):
            yield Neighbour(member, EdgeKind.HAS_TAG, "in")
        if id in self._clusters:
            for member in self._clusters[id].members:
                if member in self._entries:
                    yield Neighbour(member, EdgeKind.IN_CLUSTER, "in")

    def _stale(self, after: Graph, old: Mapping[str, _Entry], new: Mapping[str, _Entry]) -> set[str]:
        """Return the nodes whose neighbours or label may differ between this graph and the one after it."""
        stale: set[str] = set()
        for id in (*old, *(id for id in new if id not in old)):
            before, one = old.get(id, _NOTHING), new.get(id, _NOTHING)
            near = before.links.keys() | one.links.keys()
            stale.update(other for other in near if before.links.get(other) != one.links.get(other))
            moved = before is _NOTHING or one is _NOTHING or before.place != one.place
            tags = before.tags.keys() | one.tags.keys()
            stale.update(tag for tag in tags if moved or before.tags.get(tag) != one.tags.get(tag))
        for id in old.keys() ^ new.keys():  # came or went: edges that point at it appear or vanish
            for graph in (self, after):
                for contributor in graph._mentions.get(id, ()):
                    stale.update(graph._entries[contributor].links)
            if id in self._cluster_of:
                stale.add(self._cluster_of[id])
        return stale
