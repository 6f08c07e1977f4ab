import Testing

@testable import Backstitch

@Suite("the changes of several saves as one")
struct StoreChangesTests {
    private let note = ObjectID(entityName: "Note", key: ObjectKey(high: 1, low: 1))
    private let other = ObjectID(entityName: "Note", key: ObjectKey(high: 1, low: 2))

    @Test("name the properties of both")
    func names() {
        var changes = updated(note, ["title"])
        changes.merge(updated(other, ["text"]))
        #expect(changes.updated == [note, other])
        #expect(changes.changedProperties == ["Note": ["title", "text"]])
    }

    @Test("name none of an entity where one of them does not know them")
    func unknown() {
        for isFirst in [false, true] {
            var unnamed = StoreChanges(updated: [other])
            unnamed.changedProperties = [:]
            var changes = isFirst ? unnamed : updated(note, ["title"])
            changes.merge(isFirst ? updated(note, ["title"]) : unnamed)
            #expect(changes.changedProperties == [:])
            changes.merge(updated(note, ["text"]))
            #expect(changes.changedProperties == [:])
        }
    }

    @Test("name none of an entity of which an object went and came back, which counts as updated")
    func returned() {
        var changes = StoreChanges(deleted: [note])
        changes.changedProperties = [:]
        var back = updated(other, ["title"])
        back.inserted = [note]
        changes.merge(back)
        #expect(changes.updated == [note, other])
        #expect(changes.changedProperties == [:])
    }

    private func updated(_ id: ObjectID, _ names: Set<String>) -> StoreChanges {
        var changes = StoreChanges(updated: [id])
        changes.changedProperties = ["Note": names]
        return changes
    }
}
