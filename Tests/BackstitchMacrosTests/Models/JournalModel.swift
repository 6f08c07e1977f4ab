public import Backstitch
public import BackstitchMacros
import Foundation

enum Priority: Int16, CaseIterable, Codable, AttributeValue {
    case low, medium, high
}

struct Place: Codable, Equatable {
    var latitude = 0.0
    var longitude = 0.0
}

/// A property of every kind.
@Entity("JournalEntry")
public final class Entry: ManagedObject {
    @Attribute var title: String = "untitled"
    @Attribute var subtitle: String?
    @Attribute var size: Int = 3
    @Attribute var small: Int16?
    @Attribute var middle: Int32 = -7
    @Attribute var large: Int64?
    @Attribute(.type(.integer16)) var rank: Int = 1
    @Attribute var rating: Double = 1
    @Attribute var scale: Float?
    @Attribute var price: Decimal? = 12
    @Attribute var isDone: Bool = false
    @Attribute var created: Foundation.Date?
    @Attribute var serial: UUID?
    @Attribute var link: Optional<URL>
    @Attribute var content: Data?
    @Attribute(.externalStorage) var photo: Data?
    @Attribute(.type(.integer16)) var priority: Priority = .low
    @Attribute(.transformer("place")) var place: Place?
    @Attribute var `default`: String?
    @Relationship(inverse: "entries", optional: false) var journal: Journal?
    @Relationship(inverse: "entries", delete: .deny) var labels: Set<Label>

    /// No part of the model.
    var isLong: Bool { size > 100 }
    @Transient var isOpen = false
}

@Entity
final class Journal: ManagedObject {
    @Attribute var name: String = ""
    @Attribute var isShared: Bool = false
    @Relationship(inverse: "journal", delete: .cascade) var entries: Set<Entry>
}

@Entity
final class Label: ManagedObject {
    @Attribute var name: String = ""
    @Attribute var weight: Int = 0
    @Attribute var hint: String?
    @Relationship(inverse: "labels") var entries: Set<Entry>
}

extension ManagedObjectModel {
    static let journal = ManagedObjectModel(
        [Entry.entityDescription, Journal.entityDescription, Label.entityDescription],
        transformers: [.json("place", Place.self)])
}
