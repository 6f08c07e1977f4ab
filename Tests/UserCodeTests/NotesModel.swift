// swift-format-ignore-file
import Backstitch
import Foundation

// Written as a user would write it: typed subclasses and a model in code.

final class Note: ManagedObject {
    var title: String { get { self["title"] } set { self["title"] = newValue } }
    var created: Date? { get { self["created"] } set { self["created"] = newValue } }
    var photo: Data? { get { self["photo"] } set { self["photo"] = newValue } }
    var folder: Folder? { get { self["folder"] } set { self["folder"] = newValue } }
    var tags: Set<Tag> { get { self["tags"] } set { self["tags"] = newValue } }
}

final class Folder: ManagedObject {
    var name: String { get { self["name"] } set { self["name"] = newValue } }
    var notes: Set<Note> { get { self["notes"] } set { self["notes"] = newValue } }
}

final class Tag: ManagedObject {
    var name: String { get { self["name"] } set { self["name"] = newValue } }
    var notes: Set<Note> { get { self["notes"] } set { self["notes"] = newValue } }
}

extension ManagedObjectModel {
    static let notes = ManagedObjectModel([
        EntityDescription("Note", class: Note.self, [
            .attribute("title", .string, default: ""),
            .attribute("created", .date),
            .attribute("photo", .binary, external: true),
            .toOne("folder", "Folder", inverse: "notes"),
            .toMany("tags", "Tag", inverse: "notes"),
        ]),
        EntityDescription("Folder", class: Folder.self, [
            .attribute("name", .string, default: ""),
            .toMany("notes", "Note", inverse: "folder"),
        ]),
        EntityDescription("Tag", class: Tag.self, [
            .attribute("name", .string, default: ""),
            .toMany("notes", "Note", inverse: "tags"),
        ]),
    ])
}
