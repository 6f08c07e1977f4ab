import Backstitch

extension StoreConformance {
    /// Links of many-to-many relationships: kept once, and reported by history and outbox as changes of their owner.
    ///
    /// A backend must
    /// - keep a link once, and ignore the removal of a missing link;
    /// - report columns and links changed in one save as one update;
    /// - report the owner as updated when the other end is deleted, with the earlier links as the base in its outbox
    ///   entry;
    /// - refuse a save's link to a missing row, and accept such a link from sync.
    ///
    /// A store fails when it writes links apart from rows: history then has two changes of one object, or none.
    static let linkCases = [
        links("links are kept, each once, and told rising") { graph in
            let (entries, tags) = (graph.entries, graph.tags)
            try expectEqual(try graph.links(), [entries[0]: [tags[0], tags[1]], entries[1]: [tags[0]]])
            try graph.change(added: [(entries[0], tags[0])])
            try expectEqual(try graph.links()[entries[0]], [tags[0], tags[1]])
            try expectEqual(try graph.told(), [])
        },
        links("a link change is an update of the owner in history; taking away what is not there is nothing") { graph in
            let (entries, tags) = (graph.entries, graph.tags)
            try graph.change(
                added: [(entries[2], tags[2])], removed: [(entries[0], tags[1]), (entries[1], tags[2])])
            try expectEqual(
                try graph.links(), [entries[0]: [tags[0]], entries[1]: [tags[0]], entries[2]: [tags[2]]])
            try expectEqual(
                Set(try graph.told()),
                [
                    ToldChange(key: entries[0], kind: .update, properties: ["tags"]),
                    ToldChange(key: entries[2], kind: .update, properties: ["tags"]),
                ])
            try expectEqual(try graph.told().count, 2)
        },
        links("columns and links of one object that change in one save are one update") { graph in
            let bench = graph.bench, entry = graph.entries[0]
            let read = try bench.store.rows(of: bench.entity("Entry"), keys: [entry])
            let number = try bench.save { request in
                request.updates = [bench.update(read) { _ in ["text": "x"] }]
                request.links = [try bench.links("tags", of: "Entry", removed: [(entry, graph.tags[0])])]
            }.transactionNumber
            try expectEqual(
                try graph.told(), [ToldChange(key: entry, kind: .update, properties: ["text", "tags"])])
            // The insert was never sent, so its entry collects the fields.
            let found = try graph.journal.outboxEntry(entry)
            try expectEqual(found?.kind, .insert)
            try expectEqual(
                found?.fields,
                [
                    .init(name: "tags", sequence: number, base: .links([graph.tags[0], graph.tags[1]])),
                    .init(name: "text", sequence: number, base: .value(.null)),
                ])
        },
        links("links that the inserting save makes are no change after the insert") { graph in
            try expectEqual(try graph.journal.outboxEntry(graph.entries[0])?.fields, [])
            try expect(try graph.journal.told().allSatisfy { $0.kind == .insert })
        },
        links("a deleted object takes its links along; owners at the other end are told as updated") { graph in
            let (entries, tags) = (graph.entries, graph.tags)
            let number = try graph.delete(["Tag": [tags[0]]])
            try expectEqual(try graph.links(), [entries[0]: [tags[1]]])
            let told = try graph.told()
            try expectEqual(told.map(\.kind), [.delete, .update, .update])
            try expectEqual(
                Set(told),
                [
                    ToldChange(key: tags[0], kind: .delete),
                    ToldChange(key: entries[0], kind: .update, properties: ["tags"]),
                    ToldChange(key: entries[1], kind: .update, properties: ["tags"]),
                ])
            try expectEqual(
                try graph.journal.outboxEntry(entries[1])?.fields,
                [.init(name: "tags", sequence: number, base: .links([tags[0]]))])
        },
        links("a deleted owner takes its links along") { graph in
            try graph.delete(["Entry": [graph.entries[0]]])
            try expectEqual(try graph.links(), [graph.entries[1]: [graph.tags[0]]])
            try expectEqual(try graph.told(), [ToldChange(key: graph.entries[0], kind: .delete)])
        },
        links("both ends of a link are deleted in one save") { graph in
            try graph.delete(["Entry": [graph.entries[0]], "Tag": [graph.tags[0]]])
            try expectEqual(try graph.links(), [:])
            try expectEqual(try graph.told().map(\.kind), [.delete, .delete, .update])
        },
        links("a link of sync may lead to an object that is not there yet; one of a save may not") { graph in
            let bench = graph.bench, late = bench.generator.next(), source = graph.entries[2]
            let links = try bench.links("tags", of: "Entry", added: [(source, late)])
            try expectError(.saveConflict) { try bench.save { $0.links = [links] } }
            try graph.journal.writeJournal(author: "sync") { try $0.change(links) }
            let tags = try bench.property("tags", of: "Entry"), entity = try bench.entity("Entry")
            try expect(try bench.store.related(by: tags, of: entity, sources: [source]).links.isEmpty)
            try bench.save { $0.inserts = [try bench.rows("Tag", late)] }
            try expectEqual(Array(try bench.store.related(by: tags, of: entity, sources: [source]).rows.keys), [late])
        },
    ]

    /// A case about the journal of a store that has the graph below.
    private static func links(
        _ name: String, _ body: @escaping @Sendable (LinkGraph) throws -> Void
    ) -> ConformanceCase {
        .journal(name) { bench, journal in try body(LinkGraph(bench, journal)) }
    }
}

/// Three entries and three tags: the first entry has the first two tags, the second one the first.
private struct LinkGraph {
    let bench: StoreBench
    let journal: any JournalingStore
    let entries: [ObjectKey], tags: [ObjectKey]
    /// The number of the transaction with their insertion.
    private let first: Int64

    /// Saves them with their links in one request.
    init(_ bench: StoreBench, _ journal: any JournalingStore) throws {
        (self.bench, self.journal) = (bench, journal)
        let entries = bench.keys(3), tags = bench.keys(3)
        (self.entries, self.tags) = (entries, tags)
        first = try bench.save { request in
            request.inserts = [
                try bench.rows("Entry", entries.map { ($0, [:]) }), try bench.rows("Tag", tags.map { ($0, [:]) }),
            ]
            request.links = [
                try bench.links(
                    "tags", of: "Entry",
                    added: [(entries[0], tags[0]), (entries[0], tags[1]), (entries[1], tags[0])])
            ]
        }.transactionNumber
    }

    /// The links of each entry in the journal. Entries without links are left out.
    func links() throws -> [ObjectKey: [ObjectKey]] {
        try journal.readJournal {
            try $0.links(of: bench.property("tags", of: "Entry"), in: bench.entity("Entry"), sources: entries)
        }
    }

    /// Saves changes of links only.
    func change(added: [(ObjectKey, ObjectKey)] = [], removed: [(ObjectKey, ObjectKey)] = []) throws {
        try bench.save { $0.links = [try bench.links("tags", of: "Entry", added: added, removed: removed)] }
    }

    @discardableResult
    func delete(_ keys: KeyValuePairs<String, [ObjectKey]>) throws -> Int64 {
        try bench.save { request in
            request.deletes = try keys.map { entity, keys in try bench.rows(entity, keys.map { ($0, [:]) }) }
        }.transactionNumber
    }

    /// The history after their insertion.
    func told() throws -> [ToldChange] { try journal.told(after: first) }
}
