import Backstitch
import BackstitchSimulator
import BackstitchSync
import Foundation
import TestSupport
import Testing

// People at a plain CloudKit Web Services server. One of them shares single objects.
extension PlainWorld {
    func own(_ user: String, _ more: [StoreOption: any Sendable] = [:]) throws -> SyncDevice {
        try device(model: .withParents, more.merging([.syncWebAuthToken: user]) { $1 })
    }

    func guest(_ user: String, _ more: [StoreOption: any Sendable] = [:]) throws -> SyncDevice {
        try device(model: .withParents, more.merging([.syncWebAuthToken: user, .syncDatabase: "shared"]) { $1 })
    }

    /// Alice's device with folders, on the server too. "Top" contains "F" with the notes "n1" and "n2", and the folder
    /// "Sub" with "s1". Beside "F" is "G" with "g1".
    func alice() async throws -> SyncDevice {
        let alice = try own("_alice")
        try await alice.edit { context in
            var folders: [String: ManagedObject] = [:]
            for (name, parent) in [("Top", nil), ("F", "Top"), ("Sub", "F"), ("G", "Top")] as [(String, String?)] {
                let folder = try context.make("Folder", ["name": .string(name)])
                if let parent { try folder.setObject(folders[parent], forKey: "parent") }
                folders[name] = folder
            }
            for (title, name) in [("n1", "F"), ("n2", "F"), ("s1", "Sub"), ("g1", "G")] {
                try context.make("Note", ["title": .string(title)]).setObject(folders[name], forKey: "folder")
            }
        }
        try await alice.sync.sync()
        return alice
    }

    /// A guest's device that takes part in a share, and has read it.
    func joined(_ user: String, _ share: Share, _ more: [StoreOption: any Sendable] = [:]) async throws -> SyncDevice {
        let device = try guest(user, more)
        try await device.sync.sharing.accept(at: share.url)
        try await device.sync.sync()
        return device
    }

    /// Does something on the server as another program of Alice's would: to one record of her main zone.
    func program(_ operation: String, _ record: [String: PlainJSON]) {
        let body = PlainJSON.object([
            "zoneID": .object(["zoneName": .string("Backstitch")]),
            "operations": .array([.object(["operationType": .string(operation), "record": .object(record)])]),
        ])
        _ = server.answer(
            PlainServer.Request(
                "POST", "\(url.absoluteString)/database/1/iCloud.backstitch/development/private/records/modify",
                body: body.bytes, user: "_alice"))
    }

    /// The faults of requests, but for those that belong to the wire.
    var oddRefusals: [String] {
        server.refusals.filter {
            !$0.contains("could not find handler") && !$0.contains("limit exceeded")
                && !$0.contains("request needs authorization")
        }
    }
}

extension SyncDevice {
    func folder(_ name: String) async throws -> ObjectID {
        try await read { context in
            try #require(try context.fetch(FetchRequest<TestFolder>(where: "name == '\(name)'")).first).objectID
        }
    }

    /// The names of all folders, in order.
    func folders() async throws -> [String] { try await values("name", of: "Folder") }

    /// Puts a note into a folder, or a folder below another one; nil removes it from its folder.
    func put(_ id: ObjectID, into folder: ObjectID?) async throws {
        try await edit { context in
            try context.existingObject(with: id).setObject(
                folder.map { try context.existingObject(with: $0) },
                forKey: id.entityName == "Note" ? "folder" : "parent")
        }
    }

    /// Makes a note in a folder.
    @discardableResult
    func add(_ title: String, to folder: ObjectID) async throws -> ObjectID {
        try await addNote(title) { $0.folder = try $1.existingObject(with: folder) as? TestFolder }
    }
}
