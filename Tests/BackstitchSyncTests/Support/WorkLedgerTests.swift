import Testing

@Suite("the ledger of users at work") struct WorkLedgerTests {
    /// Two notes of "A" whose saves have returned: `n` with a tag, and `m`, which was deleted.
    private static let lines = [
        "will insert n A-1", "did insert n A-1", "will tag n t", "did tag n t", "will body n A-2", "did body n A-2",
        "will insert m A-3", "did insert m A-3", "will delete m -", "did delete m -",
    ]

    private func ledger(_ more: String...) -> WorkLedger {
        var ledger = WorkLedger()
        for line in Self.lines + more { ledger.take(line, of: "A") }
        return ledger
    }

    @Test("what was promised is found to be kept")
    func kept() {
        #expect(ledger().broken(by: ["n|A-s|A-2|0|t"]).isEmpty)
        #expect(ledger().count == 5 && ledger().number == 3)
    }

    @Test(
        "each kind of loss is found",
        arguments: [
            ([String](), "is lost"), (["n|A-s|A-1|0|t"], "instead of A-2"), (["n|A-s|A-2|0|"], "lacks the tag t"),
            (["n|A-s|A-2|0|t", "m|A-m|A-3|0|"], "has come back"),
            (["n|A-s|A-2|0|t", "x|A-s|A-9|0|"], "nobody has made"),
        ])
    func lost(_ dump: [String], _ fault: String) {
        let faults = ledger().broken(by: dump)
        #expect(faults.count == 1 && faults[0].contains(fault), "\(faults)")
    }

    @Test("a save whose outcome nobody knows may have happened or not, and one that was refused has not")
    func unknown() {
        var cut = ledger("will body n A-4")
        cut.ended("A")
        for text in ["A-2", "A-4"] { #expect(cut.broken(by: ["n|A-s|\(text)|0|t"]).isEmpty) }
        #expect(cut.broken(by: ["n|A-s|A-1|0|t"]).count == 1)
        #expect(ledger("will body n A-4", "no body n A-4").broken(by: ["n|A-s|A-4|0|t"]).count == 1)
    }
}
