import Backstitch
import BackstitchSimulator
import BackstitchSync
import Testing

@Suite("the ledger of promised writes")
struct LedgerTests {
    /// A history, the final state, and the expected fault.
    struct History: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var end: [ObjectKey: [String: String]] = [a: ["title": "1"]]
        /// A part of the fault; nil for no fault.
        var fault: String?
        let steps: @Sendable (inout Ledger) -> Void
    }

    private static let a = ObjectKey(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_000A)
    private static let b = ObjectKey(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_000B)
    private static let title = Ledger.Place(a, "title")

    private static func conflict(
        _ kind: SyncConflict.Kind, _ winner: SyncConflict.Side, _ keys: [String] = ["title"]
    ) -> SyncConflict {
        SyncConflict(objectID: ObjectID(entityName: "Note", key: a), kind: kind, keys: keys, winner: winner)
    }

    private static func reverted(_ kind: OutboxEntry.Kind) -> RevertedChange {
        RevertedChange(
            objectID: ObjectID(entityName: "Note", key: a), kind: kind, keys: ["title"], values: [:], reason: "no right"
        )
    }

    static let histories: [History] = [
        History(testDescription: "a write that arrives is kept") {
            $0.saved("x", title, "1")
            _ = $0.took(a, ["title": "1"], isNew: true, by: "x")
        },
        History(testDescription: "a write that nobody has is lost", end: [a: ["title": "0"]], fault: "is lost") {
            _ = $0.took(a, ["title": "0"], isNew: true, by: "y")
            $0.saved("x", title, "1")
        },
        History(
            testDescription: "a write that was taken back for want of a right, and told, is not lost",
            end: [a: ["title": "0"]]
        ) {
            _ = $0.took(a, ["title": "0"], isNew: true, by: "y")
            $0.saved("x", title, "1")
            $0.reverted("x", reverted(.update))
        },
        History(
            testDescription: "of two devices only that which tells so has taken a write back", end: [a: ["title": "0"]],
            fault: "is lost"
        ) {
            _ = $0.took(a, ["title": "0"], isNew: true, by: "y")
            $0.saved("x", title, "1")
            $0.reverted("z", reverted(.update))
        },
        History(testDescription: "a deletion that was taken back is not lost") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.deleted("x", a)
            $0.reverted("x", reverted(.delete))
        },
        History(testDescription: "a write that was followed by one of the same device is not lost") {
            $0.saved("x", title, "0")
            $0.saved("x", title, "1")
            _ = $0.took(a, ["title": "1"], isNew: true, by: "x")
        },
        History(testDescription: "a write that was followed by one of another device is lost", fault: "is lost") {
            $0.saved("x", title, "0")
            $0.saved("y", title, "1")
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
        },
        History(testDescription: "a write that the same device has cleared is not lost", end: [a: [:]]) {
            $0.saved("x", title, "0")
            $0.saved("x", title, nil)
            _ = $0.took(a, ["title": nil], isNew: true, by: "x")
        },
        History(testDescription: "a write that another device has cleared is lost", end: [a: [:]], fault: "is lost") {
            $0.saved("x", title, "0")
            $0.saved("y", title, nil)
            _ = $0.took(a, ["title": nil], isNew: true, by: "y")
        },
        History(testDescription: "a write whose own device deleted the object is not lost when the object comes back") {
            $0.saved("x", title, "0")
            $0.deleted("x", a)
            $0.reported("x", conflict(.deletedHereEditedThere, .server))
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
        },
        History(testDescription: "a write that the server had, and that was written over, is kept") {
            $0.saved("x", title, "0")
            $0.saved("y", title, "1")
            _ = $0.took(a, ["title": "0"], isNew: true, by: "x")
            _ = $0.took(a, ["title": "1"], isNew: false, by: "y")
        },
        History(testDescription: "a write that lost a reported conflict is given up") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.saved("x", title, "0")
            $0.reported("x", conflict(.edits, .server))
        },
        History(testDescription: "a conflict that another device reports explains nothing", fault: "is lost") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.saved("x", title, "0")
            $0.reported("z", conflict(.edits, .server))
        },
        History(testDescription: "a conflict over another property explains nothing", fault: "is lost") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.saved("x", title, "0")
            $0.reported("x", conflict(.edits, .server, ["body"]))
        },
        History(testDescription: "a device that died after a commit may have given up what it had promised before") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.saved("x", title, "0")
            $0.forgive("x")
        },
        History(testDescription: "what it promises afterwards counts", fault: "is lost") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.forgive("x")
            $0.saved("x", title, "0")
        },
        History(testDescription: "the death of one device excuses no other", fault: "is lost") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.saved("x", title, "0")
            $0.forgive("z")
        },
        History(testDescription: "a write goes with its object, if somebody has deleted that", end: [:]) {
            $0.saved("x", title, "1")
            $0.deleted("y", a)
        },
        History(testDescription: "an object that nobody has deleted is not gone", end: [:], fault: "nobody has deleted")
        {
            $0.saved("x", title, "1")
        },
        History(testDescription: "an object that the server has removed may be gone", end: [:]) {
            $0.saved("x", title, "1")
            _ = $0.took(a, ["title": "1"], isNew: true, by: "x")
            $0.removed(a)
        },
        History(testDescription: "a deletion that nobody has is lost", fault: "deletion") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.deleted("x", a)
        },
        History(testDescription: "a deletion that lost a reported conflict is given up") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.deleted("x", a)
            $0.reported("x", conflict(.deletedHereEditedThere, .server))
        },
        History(testDescription: "a deletion that won its conflict is not given up", fault: "deletion") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.deleted("x", a)
            $0.reported("x", conflict(.deletedHereEditedThere, .client))
        },
        History(testDescription: "a deletion may be undone by an edit that won") {
            _ = $0.took(a, ["title": "0"], isNew: true, by: "y")
            $0.deleted("x", a)
            $0.removed(a)
            $0.reported("y", conflict(.editedHereDeletedThere, .client))
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
        },
        History(testDescription: "a deletion may be undone by the loss of the zone") {
            $0.deleted("x", a)
            $0.removed(a, at: 1)
            $0.lostZone()
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
        },
        History(testDescription: "with a lost zone an object may be gone that hung on a deleted one", end: [:]) {
            $0.saved("x", title, "1")
            $0.parents[a] = b
            $0.removed(b)
            $0.lostZone()
        },
        History(
            testDescription: "an object that hung on a deleted one is gone on the server first", end: [:],
            fault: "nobody has deleted"
        ) {
            $0.saved("x", title, "1")
            $0.parents[a] = b
            $0.removed(b)
        },
        History(testDescription: "a deletion of which the server had not heard outlives the zone", fault: "deletion") {
            $0.deleted("x", a)
            $0.lostZone()
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
        },
        History(testDescription: "the edit that lost undoes nothing", fault: "deletion") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.deleted("x", a)
            $0.reported("y", conflict(.editedHereDeletedThere, .server))
        },
        History(testDescription: "what is on the server only is a fault", end: [:], fault: "on the server only") {
            _ = $0.took(b, ["title": "1"], isNew: true, by: "x")
        },
        History(testDescription: "what is on devices only is a fault", fault: "on devices only") { _ in },
        History(testDescription: "what is gone from the server is a fault on devices", fault: "gone on the server only")
        {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "x")
            $0.removed(a)
        },
        History(testDescription: "another value on the server is a fault", fault: "on the server and") {
            _ = $0.took(a, ["title": "2"], isNew: true, by: "x")
        },
        History(testDescription: "fields that are not named stay", end: [a: ["title": "1", "extra": "e"]]) {
            _ = $0.took(a, ["title": "0", "extra": "e"], isNew: true, by: "x")
            _ = $0.took(a, ["title": "1"], isNew: false, by: "y")
        },
        History(
            testDescription: "a field that an older program has swallowed is a fault",
            end: [a: ["title": "1", "extra": "f"]],
            fault: "extra"
        ) {
            _ = $0.took(a, ["title": "1", "extra": "e"], isNew: true, by: "x")
        },
    ]

    @Test("finds what is wrong, and only that", arguments: histories)
    func judge(_ history: History) {
        var ledger = Ledger()
        history.steps(&ledger)
        let faults = ledger.broken(by: history.end)
        if let fault = history.fault {
            #expect(faults.contains { $0.contains(fault) }, "\(faults)")
        } else {
            #expect(faults == [])
        }
    }

    /// The promises left by a power cut after commit 5, with the final state.
    static let cuts: [History] = [
        History(testDescription: "a write that a power cut took is gone", end: [a: ["title": "0"]]) {
            _ = $0.took(a, ["title": "0"], isNew: true, by: "y")
            $0.saved("x", title, "1", at: 6)
            #expect($0.cut("x", after: 5) == 1)
        },
        History(
            testDescription: "a write that was there before is promised", end: [a: ["title": "0"]], fault: "is lost"
        ) {
            _ = $0.took(a, ["title": "0"], isNew: true, by: "y")
            $0.saved("x", title, "1", at: 5)
            #expect($0.cut("x", after: 5) == 0)
        },
        History(
            testDescription: "a write is promised again that the lost one had written over",
            end: [a: ["title": "0"]], fault: "write of 1"
        ) {
            _ = $0.took(a, ["title": "0"], isNew: true, by: "y")
            $0.saved("x", title, "1", at: 5)
            $0.saved("x", title, "2", at: 6)
            #expect($0.cut("x", after: 5) == 1)
        },
        History(
            testDescription: "a power cut takes nothing from other devices", end: [a: ["title": "0"]], fault: "is lost"
        ) {
            _ = $0.took(a, ["title": "0"], isNew: true, by: "z")
            $0.saved("y", title, "1", at: 6)
            #expect($0.cut("x", after: 5) == 0)
        },
        History(
            testDescription: "an object that the server has had stays promised", end: [:], fault: "nobody has deleted"
        ) {
            $0.saved("x", title, "1", at: 6)
            _ = $0.took(a, ["title": "1"], isNew: true, by: "x")
            #expect($0.cut("x", after: 5) == 0)
            $0.lostZone()
        },
        History(testDescription: "an object that only the device had may be gone", end: [:]) {
            $0.saved("x", title, "1", at: 6)
            #expect($0.cut("x", after: 5) == 1)
        },
        History(testDescription: "a deletion that was lost explains nothing", end: [:], fault: "nobody has deleted") {
            $0.saved("x", title, "1", at: 4)
            $0.deleted("x", a, at: 6)
            #expect($0.cut("x", after: 5) == 1)
        },
        History(testDescription: "a deletion that was lost may be undone") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.deleted("x", a, at: 6)
            #expect($0.cut("x", after: 5) == 1)
        },
        History(testDescription: "a deletion that the server has had stays promised", fault: "deletion") {
            $0.deleted("x", a, at: 6)
            $0.removed(a)
            #expect($0.cut("x", after: 5) == 0)
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
        },
        History(testDescription: "a conflict that was forgotten explains nothing", fault: "is lost") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.saved("x", title, "0", at: 4)
            $0.reported("x", conflict(.edits, .server), at: 6)
            #expect($0.cut("x", after: 5) == 0)
        },
        History(testDescription: "a conflict that was reported before explains what it did") {
            _ = $0.took(a, ["title": "1"], isNew: true, by: "y")
            $0.saved("x", title, "0", at: 4)
            $0.reported("x", conflict(.edits, .server), at: 5)
            #expect($0.cut("x", after: 5) == 0)
        },
    ]

    @Test("a power cut forgives what it took, and nothing else", arguments: cuts)
    func powerCuts(_ history: History) { judge(history) }

    @Test("a deleted record that is made anew without a decision is a fault at once")
    func resurrection() {
        var ledger = Ledger()
        #expect(ledger.took(Self.a, ["title": "1"], isNew: true, by: "x") == nil)
        ledger.removed(Self.a)
        #expect(ledger.took(Self.a, ["title": "1"], isNew: true, by: "y")?.contains("made the deleted record") == true)
    }

    @Test("a conflict in which nothing was edited decides nothing")
    func conflictOfNothing() {
        for keys in [[], ["title"]] {
            var ledger = Ledger()
            #expect(ledger.took(Self.a, ["title": "1"], isNew: true, by: "x") == nil)
            ledger.removed(Self.a)
            ledger.reported("x", Self.conflict(.editedHereDeletedThere, .client, keys))
            #expect((ledger.took(Self.a, ["title": "1"], isNew: true, by: "x") == nil) == !keys.isEmpty)
        }
    }

    @Test("what was sent before the deletion may arrive after it, and is a fault if it stays")
    func late() {
        var ledger = Ledger()
        ledger.deleted("x", Self.a)
        ledger.removed(Self.a, at: 5)
        #expect(ledger.took(Self.a, ["title": "1"], isNew: true, by: "x", sent: 4) == nil)
        #expect(ledger.broken(by: [Self.a: ["title": "1"]]).contains { $0.contains("deletion") })
    }

    @Test("an insert may be repeated by its maker once its removal is forgotten, and by nobody else")
    func forgottenRemoval() {
        var ledger = Ledger()
        _ = ledger.took(Self.a, ["title": "1"], isNew: true, by: "x")
        ledger.removed(Self.a)
        var before = ledger
        #expect(before.took(Self.a, ["title": "1"], isNew: true, by: "x") != nil)
        ledger.forgotRemovals()
        var other = ledger
        #expect(ledger.took(Self.a, ["title": "1"], isNew: true, by: "x") == nil)
        #expect(other.took(Self.a, ["title": "1"], isNew: true, by: "y") != nil)
    }

    @Test("who died after a commit may have decided what it could not report; others may not")
    func unreported() {
        var ledger = Ledger()
        ledger.deleted("x", Self.a)
        ledger.removed(Self.a)
        ledger.forgive("y")
        var other = ledger
        #expect(ledger.took(Self.a, ["title": "1"], isNew: true, by: "y") == nil)
        #expect(ledger.broken(by: [Self.a: ["title": "1"]]) == [])
        #expect(other.took(Self.a, ["title": "1"], isNew: true, by: "z") != nil)
    }
}
