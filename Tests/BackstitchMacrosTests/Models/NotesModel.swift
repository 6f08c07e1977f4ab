import Backstitch
import BackstitchMacros
import Foundation

// The README's model, compiled as a user compiles it: ReadmeTests compares the two.

@Entity final class Note: ManagedObject {
    @Attribute var title: String = ""
    @Attribute var created: Date?
    @Attribute(.externalStorage) var photo: Data?
    @Relationship(inverse: "notes") var folder: Folder?
    @Relationship(inverse: "notes") var tags: Set<Tag>
}

@Entity final class Folder: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: \Note.folder, delete: .cascade) var notes: Set<Note>
}

@Entity final class Tag: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: "tags") var notes: Set<Note>
}

extension ManagedObjectModel {
    static let notes = ManagedObjectModel([
        Note.entityDescription, Folder.entityDescription, Tag.entityDescription,
    ])
}
