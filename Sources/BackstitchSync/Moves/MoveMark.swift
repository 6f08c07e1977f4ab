import Backstitch
import BackstitchSupport
package import CloudWire

// A move takes an object from its source zone to a target zone, in three steps. The device may stop for good after any
// step.
//
//   1  The record in the source zone is marked with the name of the target zone. The server accepts one such change of
//      a record version. So if two devices move an object to different zones, one of them wins. Edits of other devices
//      are either in the marked record, or meet the mark.
//   2  The record is made in the target zone, with the object's present values.
//   3  The marked record is emptied down to the mark. The mark now says that the object has moved.
//
// No other device changes a marked record. The emptied record stays. It tells a device that was offline during the move
// where the object is now. So a move is never taken for a deletion.

/// The mark of a record: its object goes to another zone, or has gone there.
package struct MoveMark: Codable, Hashable, Sendable {
    /// The name of the target zone on the server.
    let zone: String
    /// Whether the move is complete: the object is there, and the record is empty but for the mark.
    let isDone: Bool

    init(_ zone: String, isDone: Bool = false) { (self.zone, self.isDone) = (zone, isDone) }

    /// The name of the record's field that holds the mark.
    package static let field = "backstitch_movesTo"
    /// The mark's name among the fields of an unsent change. No property has this name.
    static let property = ">"

    /// Reads the text of the field: the zone's name, and a second word if the move is complete. Names of zones have no
    /// space.
    fileprivate init?(text: String) {
        let words = text.split(atByte: UInt8(ascii: " "), maxSplits: 2)
        guard let zone = words.first else { return nil }
        self.init(String(zone), isDone: words.count > 1)
    }

    package var text: String { isDone ? "\(zone) done" : zone }
}

extension WireRecord {
    /// The record's mark; nil if its object stays.
    package var mark: MoveMark? {
        guard case .string(let text)? = value(MoveMark.field) else { return nil }
        return MoveMark(text: text)
    }
}

extension MoveMark {
    /// Whether an operation empties a record down to the mark of a complete move.
    package static func isLeft(by operation: RecordOperation) -> Bool { operation.record.mark?.isDone == true }
}

extension OutboxEntry {
    /// Whether the change sets or removes a mark.
    var marksMove: Bool { fields.contains { $0.name == MoveMark.property } }

    /// The changed properties, without the mark.
    var edits: [Field] { marksMove ? fields.filter { $0.name != MoveMark.property } : fields }

    /// Whether no user has edited the object: its record is only to be marked, or to be encrypted with another key.
    var hasNoEdits: Bool { kind == .update && edits.isEmpty }

    /// Adds a mark to the change, to be set or removed with it.
    mutating func markMove(by sequence: Int64) {
        fields = edits + [Field(name: MoveMark.property, sequence: sequence, base: .value(.null))]
        fields.sort { $0.name < $1.name }
        self.sequence = sequence
    }
}
