import Backstitch
import BackstitchMacros
import Foundation
import Testing

@Suite("what a fetch cannot express of #Predicate")
struct UnsupportedPredicateTests {
    @Test("is refused with the name of what it is")
    func nodesAreNamed() {
        let one = 1
        refuses("Arithmetic") { #Predicate<Entry> { $0.size + one > 3 } }
        refuses("UnaryMinus") { #Predicate<Entry> { -$0.size > 3 } }
        refuses("SequenceMaximum") { #Predicate<Entry> { $0.title.max() == nil } }
        refuses("TypeCheck") { #Predicate<Entry> { ($0.title as Any) is String } }
        refuses("that the model does not have, of Data", "KeyPath") { #Predicate<Entry> { $0.content?.count == 3 } }
    }

    @Test("is refused with the property, where one is no part of the model")
    func propertiesAreNamed() {
        refuses("JournalEntry, whose properties are title, subtitle") { #Predicate<Entry> { $0.isLong } }
        refuses("of String") { #Predicate<Entry> { $0.title.count > 3 } }
        refuses("of Date") { #Predicate<Entry> { $0.created!.timeIntervalSince1970 > 3 } }
    }

    @Test("is refused where a value is of no attribute's type")
    func valuesAreNamed() {
        let place = Place(latitude: 1, longitude: 2)
        refuses("Optional<Place> is not a type of an attribute") { #Predicate<Entry> { $0.place == place } }
        let none: Int? = nil
        refuses("cannot be computed") { #Predicate<Entry> { $0.isDone && $0.size > none! } }
    }

    private func refuses(
        _ texts: String..., predicate: () -> Predicate<Entry>, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: BackstitchError.self, sourceLocation: sourceLocation) {
            try FetchPredicate(predicate())
        }
        #expect(error?.code == .invalidPredicate, sourceLocation: sourceLocation)
        for text in texts {
            #expect(error?.message.contains(text) ?? false, "\(error?.message ?? "")", sourceLocation: sourceLocation)
        }
    }
}
