import Backstitch

extension StoreConformance {
    /// Zones of other owners with single objects shared with the user, each with its descendants.
    ///
    /// A backend must refuse saves and batch requests there that exceed the rights to these objects
    /// (``JournalWriting/setSharedRoots(_:zone:)``), in the same transaction, or refuse such zones.
    static let sharedRootCases = [
        ConformanceCase.journal("saves and batch requests do in a zone what the rights to its shared objects allow") {
            bench, journal in
            let keys = bench.keys(12)
            let place = keys[0], read = keys[1], hidden = keys[2], main = keys[3]
            let entry = keys[4], fixed = keys[5], tag = keys[6]
            try journal.writeJournal(author: "sync") { try $0.putZone(1, named: "_ada/Club") }
            try bench.save { request in
                request.inserts = [
                    try bench.rows("Location", [(place, [:]), (read, [:]), (hidden, [:]), (main, [:])]),
                    try bench.rows(
                        "Entry",
                        [(entry, ["location": bench.location(place)]), (fixed, ["location": bench.location(read)])]),
                    try bench.rows("Tag", tag),
                ]
                request.zones = [place: "_ada/Club", read: "_ada/Club", hidden: "_ada/Club", tag: "_ada/Club"]
            }
            try expectEqual(try journal.readJournal { try $0.sharedRoots() }, [:])
            var roots = SharedRoots([place: .init(mayWrite: true), read: .init(), tag: .init(mayWrite: true)])
            do {
                try journal.writeJournal(author: "sync") { [roots] in try $0.setSharedRoots(roots, zone: 1) }
            } catch let error as BackstitchError where error.code == .invalidRequest {
                // The store has no such zones, and reports that.
                return
            }
            try expectEqual(try journal.readJournal { try $0.sharedRoots() }, [1: roots])
            func stored(_ entity: String, _ key: ObjectKey) throws -> RowBatch {
                try bench.store.rows(of: bench.entity(entity), keys: [key])
            }
            let refused: [(inout SaveChangesRequest) throws -> Void] = [
                { $0.updates = [bench.update(try stored("Entry", fixed)) { _ in ["text": "x"] }] },
                { $0.deletes = [try stored("Entry", fixed)] },
                { $0.links = [try bench.links("tags", of: "Entry", added: [(fixed, tag)])] },
                { $0.inserts = [try bench.rows("Entry", keys[7], ["location": bench.location(read)])] },
                { $0.updates = [bench.update(try stored("Location", hidden)) { _ in ["name": "x"] }] },
                { $0.deletes = [try stored("Location", place)] },
                { $0.updates = [bench.update(try stored("Entry", entry)) { _ in ["location": .null] }] },
                { $0.updates = [bench.update(try stored("Entry", entry)) { _ in ["location": bench.location(read)] }] },
                {
                    $0.inserts = [try bench.rows("Location", keys[7])]
                    $0.zones = [keys[7]: "_ada/Club"]
                },
            ]
            let before = try bench.all("Entry").keys, places = try bench.all("Location").keys
            for (index, save) in refused.enumerated() {
                let error = try expectError(.permissionDenied) { try bench.save(save) }
                try expect("\(error)".contains("\"_ada/Club\""), "\(index): \(error)")
            }
            try expectEqual(try bench.all("Entry").keys, before)
            try expectEqual(try bench.all("Location").keys, places)
            // Below a writable object every change is allowed, and elsewhere as usual.
            try bench.save { request in
                request.updates = [bench.update(try stored("Entry", entry)) { _ in ["text": "x"] }]
                request.inserts = [
                    try bench.rows("Entry", keys[8], ["location": bench.location(place)]),
                    try bench.rows("Entry", keys[9], ["location": bench.location(main)]),
                ]
                request.links = [try bench.links("tags", of: "Entry", added: [(entry, tag)])]
            }
            try bench.save { $0.deletes = [try stored("Entry", keys[8])] }
            // An administrator of both moves objects from one to the other.
            roots.rights[place] = .init(mayWrite: true, administers: true)
            roots.rights[read] = .init(mayWrite: true)
            try journal.writeJournal(author: "sync") { [roots] in try $0.setSharedRoots(roots, zone: 1) }
            try bench.save {
                $0.updates = [bench.update(try stored("Entry", entry)) { _ in ["location": bench.location(read)] }]
            }
            // Sync may write anywhere. With the zone, its shared objects are forgotten.
            try journal.writeJournal(author: "sync") { journal in
                try journal.upsert(try bench.rows("Entry", keys[10]))
                try journal.setZone(1, of: [keys[10]])
            }
            try expectError(.permissionDenied) {
                try bench.save { $0.updates = [bench.update(try stored("Entry", keys[10])) { _ in ["text": "x"] }] }
            }
            try journal.writeJournal(author: "sync") { try $0.removeZone(1) }
            try expectEqual(try journal.readJournal { try $0.sharedRoots() }, [:])
            try bench.save { $0.updates = [bench.update(try stored("Entry", keys[10])) { _ in ["text": "y"] }] }
        }
    ]
}
