import Backstitch
import BackstitchSupport
package import CloudWire

// An object moves from one zone to another in steps, each of which may be the last that a device lives to make:
//
//   1  The record is marked where it is, with the zone that it goes to. The server takes one such change of a version,
//      so of two devices that move an object to different zones one wins, and edits that others make meanwhile are in
//      the marked record, or are told of the mark.
//   2  The record is made in the other zone, with the object as it is by then.
//   3  The marked record loses all that it has but the mark, which says now that the object has moved.
//
// Nobody else changes a marked record. What is left of it stays, so that a device which has slept through the move is
// told where the object is, and can tell a move from a deletion.

/// The mark by which a record says that its object goes to another zone, or has gone there.
package struct MoveMark: Codable, Hashable, Sendable {
    /// The name of that zone on the server.
    let zone: String
    /// Whether the object is there, and nothing of it is left in the record.
    let isDone: Bool

    init(_ zone: String, isDone: Bool = false) { (self.zone, self.isDone) = (zone, isDone) }

    /// The field of the record.
    package static let field = "backstitch_movesTo"
    /// Its name among the fields of an unsent change. No property has it.
    static let property = ">"

    /// Its form in the field. Names of zones have no space.
    fileprivate init?(text: String) {
        let words = text.split(atByte: UInt8(ascii: " "), maxSplits: 2)
        guard let zone = words.first else { return nil }
        self.init(String(zone), isDone: words.count > 1)
    }

    package var text: String { isDone ? "\(zone) done" : zone }
}

extension WireRecord {
    /// The record's mark; nil for one whose object stays.
    package var mark: MoveMark? {
        guard case .string(let text)? = value(MoveMark.field) else { return nil }
        return MoveMark(text: text)
    }
}

extension MoveMark {
    /// Whether an operation leaves nothing in a record but that its object has moved.
    package static func isLeft(by operation: RecordOperation) -> Bool { operation.record.mark?.isDone == true }
}

extension OutboxEntry {
    /// Whether a mark is to be set, or taken away.
    var marksMove: Bool { fields.contains { $0.name == MoveMark.property } }

    /// The changed properties.
    var edits: [Field] { marksMove ? fields.filter { $0.name != MoveMark.property } : fields }

    /// Whether nobody has edited the object: its record is to be marked, or to be encrypted with another key.
    var hasNoEdits: Bool { kind == .update && edits.isEmpty }

    /// Has a mark set, or taken away, with the change.
    mutating func markMove(by sequence: Int64) {
        fields = edits + [Field(name: MoveMark.property, sequence: sequence, base: .value(.null))]
        fields.sort { $0.name < $1.name }
        self.sequence = sequence
    }
}
