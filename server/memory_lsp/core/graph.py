"""The memory graph: notes, tags and clusters, the edges between them, and who neighbours whom.

A `Graph` is immutable. `updated` gives the graph after some notes changed; it equals one built from scratch and costs
what changed, not what exists. Semantics: `docs/protocol.md`, section 3.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from memory_lsp.core.clusters import Cluster

# (name, type order, path, ...): any tuple of comparable parts, of the same shape for every note.
SortKey: TypeAlias = "tuple[str | int, ...]"

# Above this many changes one sort of the whole list is cheaper than an insertion each.
_FEW = 64


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


class Graph:
    """Notes, tags and clusters with the edges between them; immutable to its users.

    An edge whose other end is no note of the graph is left out for as long as that note is missing.
    """

    __slots__ = ("_cluster_of", "_clusters", "_entries", "_labels", "_memo", "_mentions", "_places", "_tagged")

    def __init__(self) -> None:
        """Make the empty graph; use `build` for any other."""
        self._entries: dict[str, _Entry] = {}
        self._places: list[tuple[SortKey, str]] = []
        self._mentions: dict[str, frozenset[str]] = {}  # note id → notes that contribute an edge touching it
        self._tagged: dict[str, frozenset[str]] = {}  # tag id → notes with that tag
        self._clusters: dict[str, Cluster] = {}
        self._cluster_of: dict[str, str] = {}
        # Filled on demand; a memo holds what the frozen parts imply, so threads may share it without a lock.
        self._memo: dict[str, tuple[Neighbour, ...]] = {}
        self._labels: dict[str, str] = {}

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
        graph._entries = {**self._entries, **new}
        for key in gone:
            del graph._entries[key]
        graph._places = _replaced(
            self._places, [entry.place for entry in old.values()], [e.place for e in new.values()]
        )
        graph._mentions = _relinked(
            self._mentions, {id: e.links.keys() for id, e in old.items()}, {id: e.links.keys() for id, e in new.items()}
        )
        graph._tagged = _relinked(
            self._tagged, {id: e.tags.keys() for id, e in old.items()}, {id: e.tags.keys() for id, e in new.items()}
        )
        graph._clusters, graph._cluster_of = self._clusters, self._cluster_of
        stale = self._stale(graph, old, new)
        graph._memo = {**self._memo}
        graph._labels = {**self._labels}
        for key in stale:
            graph._memo.pop(key, None)
            graph._labels.pop(key, None)
        return graph

    def with_clusters(self, clusters: Sequence[Cluster]) -> Graph:
        """Return the graph with exactly these clusters."""
        table = {cluster.id: cluster for cluster in clusters}
        if table == self._clusters:
            return self
        graph = Graph()
        graph._entries, graph._places = self._entries, self._places
        graph._mentions, graph._tagged, graph._labels = self._mentions, self._tagged, {**self._labels}
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
        found = self._memo.get(id)
        if found is None:
            found = tuple(sorted(set(self._adjacent(id)), key=lambda each: (each.id, each.kind, each.direction)))
            self._memo[id] = found
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

    def _listed(self) -> Iterator[_Entry]:
        return (self._entries[id] for _, id in self._places)

    def _label(self, id: str) -> str:
        if id not in self._labels:
            first = min((self._entries[member] for member in self._tagged[id]), key=lambda entry: entry.place)
            self._labels[id] = first.tags[id]
        return self._labels[id]

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
        for id, entry in (*old.items(), *new.items()):
            stale.update((id, *entry.links, *entry.tags))
        for id in old.keys() ^ new.keys():  # came or went: edges that point at it appear or vanish
            for graph in (self, after):
                for contributor in graph._mentions.get(id, ()):
                    stale.update(graph._entries[contributor].links)
            if id in self._cluster_of:
                stale.add(self._cluster_of[id])
        return stale


def _relinked(
    table: Mapping[str, frozenset[str]], old: Mapping[str, AbstractSet[str]], new: Mapping[str, AbstractSet[str]]
) -> dict[str, frozenset[str]]:
    """Return a map from nodes to the notes that mention them, after some notes mention others."""
    leaving: dict[str, set[str]] = {}
    joining: dict[str, set[str]] = {}
    for id in old.keys() | new.keys():
        before, after = old.get(id, frozenset()), new.get(id, frozenset())
        for key in before - after:
            leaving.setdefault(key, set()).add(id)
        for key in after - before:
            joining.setdefault(key, set()).add(id)
    result = dict(table)
    for key in leaving.keys() | joining.keys():
        members = (result.get(key, frozenset()) - leaving.get(key, frozenset())) | joining.get(key, frozenset())
        if members:
            result[key] = members
        else:
            result.pop(key, None)
    return result


def _replaced(
    places: list[tuple[SortKey, str]], old: list[tuple[SortKey, str]], new: list[tuple[SortKey, str]]
) -> list[tuple[SortKey, str]]:
    """Return a sorted list with some items out and others in."""
    if len(old) + len(new) > _FEW:
        leaving = set(old)
        return sorted([*(place for place in places if place not in leaving), *new])
    result = places.copy()
    for place in old:
        del result[bisect_left(result, place)]
    for place in new:
        insort(result, place)
    return result
