import BackstitchSupport
import CloudWire

/// The changed records of some types, with their fields.
struct ChangedRecords: Sendable {
    typealias Record = (change: RecordChange, fields: [String: WireValue?])

    /// The records by the bytes of their types, in the order of the changes.
    private let records: [ByteText: [Record]]

    /// - Throws: An error if the fields of a record cannot be read.
    init(_ changes: [RecordChange], ofTypes types: Set<ByteText>) throws {
        var records: [ByteText: [Record]] = [:]
        for change in changes {
            guard let type = change.record.type.map({ ByteText($0) }), types.contains(type) else { continue }
            records[type, default: []].append((change, try WireRecord.Fields(json: change.record.fields).values))
        }
        self.records = records
    }

    subscript(type: String) -> [Record] { records[ByteText(type)] ?? [] }

    /// The marks of all values that the records have in some fields; nil if there are too many to look them up.
    func marks(of fields: [MarkedField]) -> Set<SubscriptionMark>? {
        let values = fields.reduce(0) { $0 + self[$1.type].count }
        guard values <= QuerySubscriptionLimits.examinedValues else { return nil }
        var marks: Set<SubscriptionMark> = []
        for field in fields {
            let place = QueryField(known: field.name)
            for (change, values) in self[field.type] {
                guard let value = place.value(change.record, values) else { continue }
                marks.insert(SubscriptionMark(type: field.type, place, value))
                if marks.count > QuerySubscriptionLimits.marks { return nil }
            }
        }
        return marks
    }
}
