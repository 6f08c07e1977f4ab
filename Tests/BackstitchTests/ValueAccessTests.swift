import Backstitch
import Foundation
import Testing

@Suite("values in Swift's types")
struct ValueAccessTests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)
    private static let uuid = ObjectIDGenerator().next().uuid
    private static let id = ObjectID(entityName: "Note", key: ObjectIDGenerator().next())
    private static let url = URL(fileURLWithPath: "/tmp/x")

    /// A value of each case, with its text.
    private static let all: [(value: Value, text: String)] = [
        (.null, "null"), (.bool(true), "true"), (.int(-3), "-3"), (.double(1.5), "1.5"), (.decimal(12), "12"),
        (.string("Buy \"thread\""), "Buy \"thread\""), (.date(date), "2023-11-14T22:13:20Z"),
        (.data(Data([1, 2, 3])), "3 bytes"),
        (.uuid(uuid), "\(uuid)"), (.uri(url), url.absoluteString),
        (.asset(AssetReference(checksum: "x", size: 9)), "asset of 9 bytes"), (.object(id), "\(id)"),
    ]

    @Test("each case is read by the accessor of its name, and by no other")
    func accessors() {
        for (index, (value, _)) in Self.all.enumerated() {
            let read: [Any?] = [
                nil, value.bool, value.int, value.double, value.decimal, value.string, value.date, value.data,
                value.uuid, value.uri, value.asset, value.object,
            ]
            for (other, found) in read.enumerated() { #expect((found != nil) == (other == index && index > 0)) }
        }
        #expect(Value.int(-3).int == -3 && Value.string("a").string == "a" && Value.date(Self.date).date == Self.date)
        #expect(Value.object(Self.id).object == Self.id && Value.decimal(12).decimal == 12)
    }

    @Test("any type of an attribute is read, an enumeration too; what does not fit is nil")
    func types() {
        #expect(Value.int(1).as(Level.self) == .high)
        #expect(Value.int(7).as(Level.self) == nil)
        #expect(Value.int(70_000).as(Int16.self) == nil)
        let level: Level? = Value.int(0).as()
        #expect(level == .low)
    }

    @Test("a value prints as what it holds, and for a debugger with its type")
    func texts() {
        for (value, text) in Self.all { #expect("\(value)" == text) }
        #expect(String(reflecting: Value.string("3")) == "the string \"3\"")
    }

    @Test("literals are values")
    func literals() {
        let name = "thread"
        let values: [Value] = ["Buy", 3, 1.5, true, "Buy \(name)"]
        #expect(values == [.string("Buy"), .int(3), .double(1.5), .bool(true), .string("Buy thread")])
    }

    private enum Level: Int, CaseIterable, AttributeValue { case low, high }
}
