import Backstitch

extension StoreConformance {
    /// Related rows, as a coordinator asks for them: for many sources, by every kind of relationship, from both sides.
    ///
    /// A backend must
    /// - return each related row once, and each link once, also for repeated sources;
    /// - follow a to-one from its column, and back;
    /// - leave out unknown sources;
    /// - treat an object linked to itself as two ends;
    /// - throw ``BackstitchError/Code/invalidRequest`` for an attribute.
    ///
    /// A store fails when it returns a row once for each link: the context then makes one object of several rows.
    static let relatedRowCases = [
        ConformanceCase.requests("the many of a to-one are found from several sources at once") { bench in
            let graph = try RelatedGraph(bench)
            let (places, entries) = (graph.places, graph.entries)
            try expectEqual(
                try graph.related("entries", "Location", places),
                [[places[0], entries[0]], [places[0], entries[1]], [places[1], entries[2]]])
            try expectEqual(try graph.related("replies", "Entry", entries), [[entries[0], entries[1]]])
        },
        ConformanceCase.requests("the other end of a one-to-one is found, whichever end keeps it") { bench in
            let graph = try RelatedGraph(bench)
            try expectEqual(try graph.related("entry", "Cover", [graph.cover]), [[graph.cover, graph.entries[0]]])
            try expectEqual(try graph.related("cover", "Entry", graph.entries), [[graph.entries[0], graph.cover]])
        },
        ConformanceCase.requests("a to-one's destination is found as well, though a row tells it") { bench in
            let graph = try RelatedGraph(bench)
            let (places, entries) = (graph.places, graph.entries)
            try expectEqual(
                try graph.related("location", "Entry", entries),
                [[entries[0], places[0]], [entries[1], places[0]], [entries[2], places[1]]])
        },
        ConformanceCase.requests("a many-to-many is found from the side that owns it and from the other") { bench in
            let graph = try RelatedGraph(bench)
            let (tags, entries) = (graph.tags, graph.entries)
            try expectEqual(
                try graph.related("tags", "Entry", entries),
                [[entries[0], tags[0]], [entries[0], tags[1]], [entries[1], tags[0]]])
            try expectEqual(
                try graph.related("entries", "Tag", tags),
                [[tags[0], entries[0]], [tags[0], entries[1]], [tags[1], entries[0]]])
        },
        ConformanceCase.requests("no sources, unknown sources and repeated sources; an attribute leads to no rows") {
            bench in
            let graph = try RelatedGraph(bench)
            try expectEqual(try graph.related("tags", "Entry", []), [])
            try expectEqual(try graph.related("tags", "Entry", bench.keys(2)), [])
            let source = graph.entries[1]
            try expectEqual(try graph.related("tags", "Entry", [source, source, source]), [[source, graph.tags[0]]])
            try expectError(.invalidRequest) { _ = try graph.related("text", "Entry", graph.entries) }
        },
        ConformanceCase.requests("thousands of sources, some twice, with destinations that many share") { bench in
            let entries = bench.keys(1_300), hub = bench.generator.next()
            try bench.save { request in
                request.inserts = [
                    try bench.rows("Entry", entries.map { ($0, [:]) }), try bench.rows("Tag", hub),
                ]
                request.links = [try bench.links("tags", of: "Entry", added: entries.map { ($0, hub) })]
            }
            let result = try bench.store.related(
                by: bench.property("tags", of: "Entry"), of: bench.entity("Entry"),
                sources: entries + entries.reversed())
            try expectEqual(Array(result.rows.keys), [hub])
            try expectEqual(result.links.count, 1_300)
            try expectEqual(Set(result.links.map(\.source)), Set(entries))
        },
        ConformanceCase.requests("many sources lead to rows that keep their order", model: playlists) { bench in
            let songs = bench.keys(300), lists = bench.keys(3)
            let added = songs.map { ($0, lists[0]) } + songs.prefix(2).map { ($0, lists[1]) }
            try bench.save { request in
                request.inserts = [
                    try bench.rows("Song", songs.map { ($0, [:]) }),
                    try bench.rows("Playlist", lists.map { ($0, [:]) }),
                ]
                request.links = [
                    try bench.links("songs", of: "Playlist", added: added.map { ($0.1, $0.0) })
                ]
            }
            let result = try bench.store.related(
                by: bench.property("lists", of: "Song"), of: bench.entity("Song"),
                sources: songs + songs.reversed() + bench.keys(2))
            try expectEqual(Set(result.rows.keys), Set(lists.prefix(2)))
            try expectEqual(result.rows.count, 2)
            try expectEqual(result.links.count, 302)
            try expectEqual(
                Set(result.links.map { [$0.source, result.rows.keys[$0.row]] }), Set(added.map { [$0.0, $0.1] }))
        },
        ConformanceCase.requests("an object may be linked to itself, and takes the link along", model: acquaintances) {
            bench in
            let people = bench.keys(2)
            let person = try bench.entity("Person"), friends = try bench.property("friends", of: "Person")
            try bench.save { request in
                request.inserts = [try bench.rows("Person", people.map { ($0, [:]) })]
                request.links = [
                    try bench.links("friends", of: "Person", added: [(people[0], people[0]), (people[0], people[1])])
                ]
            }
            let found = try bench.store.related(by: friends, of: person, sources: people)
            try expectEqual(Set(found.rows.keys), Set(people))
            try bench.save { $0.deletes = [try bench.rows("Person", people[0])] }
            try expect(try bench.store.related(by: friends, of: person, sources: people).links.isEmpty)
        },
    ]

    /// An ordered many-to-many relationship.
    private static let playlists = ManagedObjectModel([
        EntityDescription("Playlist", [.toMany("songs", "Song", inverse: "lists", ordered: true)]),
        EntityDescription("Song", [.toMany("lists", "Playlist", inverse: "songs")]),
    ])

    /// A many-to-many relationship that is its own inverse.
    private static let acquaintances = ManagedObjectModel([
        EntityDescription("Person", [.attribute("name", .string), .toMany("friends", "Person", inverse: "friends")])
    ])
}

/// Two entries at one place, one at another, one without a place. The second is a reply to the first, which has a
/// cover. Both have tags.
private struct RelatedGraph {
    let bench: StoreBench
    let places: [ObjectKey], entries: [ObjectKey], tags: [ObjectKey], cover: ObjectKey

    /// Saves them in one request, which may name rows before it writes them.
    init(_ bench: StoreBench) throws {
        self.bench = bench
        let places = bench.keys(3), entries = bench.keys(4), tags = bench.keys(3), cover = bench.generator.next()
        (self.places, self.entries, self.tags, self.cover) = (places, entries, tags, cover)
        func id(_ entity: String, _ key: ObjectKey) -> Value { .object(ObjectID(entityName: entity, key: key)) }
        try bench.save { request in
            request.inserts = [
                try bench.rows("Location", places.map { ($0, [:]) }),
                try bench.rows(
                    "Entry",
                    [
                        (entries[0], ["location": id("Location", places[0])]),
                        (entries[1], ["location": id("Location", places[0]), "parent": id("Entry", entries[0])]),
                        (entries[2], ["location": id("Location", places[1])]), (entries[3], [:]),
                    ]),
                try bench.rows("Tag", tags.map { ($0, [:]) }),
                try bench.rows("Cover", cover, ["entry": id("Entry", entries[0])]),
            ]
            request.links = [
                try bench.links(
                    "tags", of: "Entry",
                    added: [(entries[0], tags[0]), (entries[0], tags[1]), (entries[1], tags[0])])
            ]
        }
    }

    /// The links from `sources` as pairs. Each row and each link must be there once.
    func related(_ property: String, _ entity: String, _ sources: [ObjectKey]) throws -> Set<[ObjectKey]> {
        let result = try bench.store.related(
            by: bench.property(property, of: entity), of: bench.entity(entity), sources: sources)
        let pairs = Set(result.links.map { [$0.source, result.rows.keys[$0.row]] })
        try expectEqual(Set(result.rows.keys).count, result.rows.count, "rows of \(property)")
        try expectEqual(result.links.count, pairs.count, "links of \(property)")
        return pairs
    }
}
