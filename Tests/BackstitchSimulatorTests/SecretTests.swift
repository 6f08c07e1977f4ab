import Backstitch
import BackstitchSimulator
import Foundation
import Testing

@Suite("what the checkers know of encrypted values")
struct SecretTests {
    private let key = ObjectKey(high: 1, low: 1)

    @Test("a plaintext is found as it is, and in base64 wherever it begins", arguments: 0...8)
    func search(before: Int) {
        let text = Array(repeating: "x", count: before).joined() + "\(SecretSearch.hidden.text)1-7."
        #expect(SecretSearch.hidden.isIn(Array(text.utf8)))
        let encoded = "{\"value\":\"\(Data(text.utf8).base64EncodedString())\"}"
        #expect(SecretSearch.hidden.isIn(Array(encoded.utf8)))
        #expect(!SecretSearch.open.isIn(Array((text + encoded).utf8)))
        let other = "{\"value\":\"\(Data(text.utf8.reversed()).base64EncodedString())\"}"
        #expect(!SecretSearch.hidden.isIn(Array(other.utf8)))
    }

    @Test("values that are under another key are told until they are encrypted anew, cleared or deleted")
    func keys() {
        let place = Ledger.Place(key, "text")
        func ledger(_ steps: (String?, String?)...) -> Ledger {
            var ledger = Ledger()
            for (value, id) in steps {
                _ = ledger.took(key, Ledger.fields(of: "text", value, under: id), isNew: false, by: "x")
            }
            return ledger
        }
        #expect(ledger(("a", "key1")).places(notUnder: "key2") == [place])
        #expect(ledger(("a", "key1"), ("a", "key2")).places(notUnder: "key2").isEmpty)
        #expect(ledger(("a", "key1"), (nil, nil)).places(notUnder: "key2").isEmpty)
        var gone = ledger(("a", "key1"))
        gone.removed(key)
        #expect(gone.places(notUnder: "key2").isEmpty)
    }

    @Test("a value that comes back over a newer one is told, and one that stays is not")
    func undone() {
        let place = Ledger.Place(key, "text")
        var ledger = Ledger()
        for value in ["a", "b"] {
            _ = ledger.took(key, Ledger.fields(of: "text", value, under: "key1"), isNew: false, by: "x")
        }
        #expect(ledger.wasOverwritten(place, "a") && !ledger.wasOverwritten(place, "b"))
        #expect(!ledger.wasOverwritten(place, "c") && ledger.has(place, "b"))
        #expect(!ledger.mayUndo("x", place))
    }

    @Test("a value whose answer was lost goes again where all is as before it, and from its device alone")
    func unsentAgain() {
        let place = Ledger.Place(key, "text")
        var ledger = Ledger()
        ledger.saved("x", place, "b")
        for value in ["a", "b", "a"] {
            _ = ledger.took(key, Ledger.fields(of: "text", value, under: "key1"), isNew: false, by: "x")
        }
        #expect(!ledger.isUnsentAgain(place, "b", on: "x"))
        ledger.mayLackAnswers = ["x", "y"]
        #expect(ledger.isUnsentAgain(place, "b", on: "x") && !ledger.isUnsentAgain(place, "b", on: "y"))
        _ = ledger.took(key, Ledger.fields(of: "text", "c", under: "key1"), isNew: false, by: "y")
        #expect(!ledger.isUnsentAgain(place, "b", on: "x"))
    }
}
