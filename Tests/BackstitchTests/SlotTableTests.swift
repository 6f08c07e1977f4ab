import Testing

@testable import Backstitch

@Suite("slots by names")
struct SlotTableTests {
    @Test("each name has its slot, and others have none, however long they are and wherever they lie in memory")
    func names() {
        for length in [1, 14, 15, 16, 17, 60] {
            func name(_ number: Int) -> String { String(repeating: "n", count: max(0, length - 3)) + "\(100 + number)" }
            let table = SlotTable(Dictionary(uniqueKeysWithValues: (0..<20).map { (name($0), $0) }), [])
            for round in 0..<2000 {
                #expect(table.slot(of: name(round % 20)) == round % 20)
                // Made anew each time, often where another one has been.
                #expect(table.slot(of: name(20 + round % 800)) == nil)
            }
        }
    }
}
