import Backstitch
import BackstitchSupport
import CloudWire

/// Objects that are gone from the server, and whose unique values a record has that came along with that news: it takes
/// their place.
enum DepartedObjects {
    static func add(_ id: ObjectID, to journal: any JournalWriting) throws {
        try journal.setNote(.departed, of: id.key, to: id.entityName)
    }

    static func remove(_ key: ObjectKey, from journal: any JournalWriting) throws {
        try journal.removeNote(.departed, of: key)
    }

    static func all(in journal: any JournalReading) throws -> [ObjectKey: ObjectID] {
        var all: [ObjectKey: ObjectID] = [:]
        for (key, name) in try journal.notes(.departed) { all[key] = ObjectID(entityName: name, key: key) }
        return all
    }
}
