import Backstitch
import BackstitchSync
import Foundation
import TestSupport
import Testing

extension FindableUsers {
    /// Alice, with folders in her main zone, on the server too. "Top" contains "F" with the notes "n1" and "n2", and
    /// the folder "Sub" with "s1". Beside "F" is "G" with "g1". The note "alone" is in none. All notes have the tag
    /// "hers".
    func alice() async throws -> Person {
        let alice = try person("alice")
        try await alice.edit { context in
            let tag = try context.make("Tag", ["name": "hers"])
            var folders: [String: ManagedObject] = [:]
            for (name, parent) in [("Top", nil), ("F", "Top"), ("Sub", "F"), ("G", "Top")] as [(String, String?)] {
                let folder = try context.make("Folder", ["name": .string(name)])
                if let parent { try folder.setObject(folders[parent], forKey: "parent") }
                folders[name] = folder
            }
            for (title, name) in [("n1", "F"), ("n2", "F"), ("s1", "Sub"), ("g1", "G"), ("alone", "")] {
                let note = try context.make("Note", ["title": .string(title)])
                if let folder = folders[name] { try note.setObject(folder, forKey: "folder") }
                try note.add(tag, to: "tags")
            }
        }
        try await alice.own.sync()
        return alice
    }
}

extension Person {
    /// The zone of Alice's that is her main one, as guests see it.
    static let main = "_alice"

    func folder(_ name: String) async throws -> ObjectID {
        try await container.perform { context in
            try #require(try context.fetch(FetchRequest<TestFolder>(where: "name == '\(name)'")).first).objectID
        }
    }

    /// The names of all folders, in order.
    func folders() async throws -> [String] {
        try await container.perform { try $0.fetch(FetchRequest<TestFolder>()).compactMap(\.name).sorted() }
    }

    /// Puts a note into a folder, or a folder below another one; nil removes it from its folder.
    func put(_ id: ObjectID, into folder: ObjectID?) async throws {
        try await edit { context in
            let object = try context.existingObject(with: id)
            try object.setObject(
                folder.map { try context.existingObject(with: $0) },
                forKey: id.entityName == "Note" ? "folder" : "parent")
        }
    }

    /// Makes a note in a folder.
    @discardableResult
    func add(_ title: String, to folder: ObjectID) async throws -> ObjectID {
        try await edit { context in
            let note = TestNote(context: context)
            (note.title, note.folder) = (title, try context.existingObject(with: folder) as? TestFolder)
            return note.objectID
        }
    }

    /// Changes the share of an object, as the server has it.
    func changeShare(of root: ObjectID, _ body: (inout Share) -> Void) async throws {
        var share = try #require(try await own.sharing.share(ofObject: root))
        body(&share)
        _ = try await own.sharing.update(share)
    }
}
