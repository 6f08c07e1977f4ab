import Backstitch
import BackstitchSupport
import CloudWire

/// Objects deleted on the server, with unique values that a record of the same page or pull now has. This record
/// replaces the object.
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
