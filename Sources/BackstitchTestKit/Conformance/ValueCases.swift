import Backstitch
import Foundation

extension StoreConformance {
    /// Values of every attribute type return bit for bit, even at the ends of their types.
    ///
    /// A backend must
    /// - keep -0.0, the infinities and NaN with its bits, subnormal numbers, and 64-bit integers beyond 2^53;
    /// - keep decimals of 38 digits exactly, and dates to the millisecond, before 1970 as well;
    /// - keep text by its scalars, without normalisation, and without a cut at U+0000 if it takes that at all;
    /// - tell empty text and empty bytes from null;
    /// - return a value unknown to its enumeration as it was stored.
    ///
    /// A store fails if a column's type is narrower than the attribute's (integers or decimals through a double, dates
    /// as seconds). It also fails if a text format such as JSON cannot express a value.
    static let valueCases = [
        ConformanceCase("values of every type come back bit for bit") { bench in
            for values in ExtremeValues.all {
                let container = try bench.container()
                let id = try await container.perform { context in
                    let object = try context.insertObject(entityName: "AllTypes")
                    for (key, value) in values { try object.setValue(value, forKey: key) }
                    try context.save()
                    return object.objectID
                }
                try await container.perform { context in
                    let object = try context.existingObject(with: id)
                    for (key, value) in values where key != "external" {
                        try expectEqual(object.value(forKey: key), value)
                    }
                    if case .data(let data)? = values["external"] { try expectEqual(object["external"] as Data?, data) }
                }
                try container.close()
            }
        },
        ConformanceCase("no value is not the same as an empty one") { bench in
            let container = try bench.container()
            let ids = try await container.perform { context in
                let empty = try context.insertObject(entityName: "AllTypes")
                try empty.setValue("", forKey: "string")
                try empty.setValue(.data(Data()), forKey: "binary")
                try empty.setValue(.data(Data()), forKey: "external")
                let none = try context.insertObject(entityName: "AllTypes")
                try context.save()
                return [empty.objectID, none.objectID]
            }
            try await container.perform { context in
                let empty = try context.existingObject(with: ids[0])
                try expectEqual(empty["string"] as String?, "")
                try expectEqual(empty["binary"] as Data?, Data())
                try expectEqual(empty["external"] as Data?, Data())
                let none = try context.existingObject(with: ids[1])
                for key in ["string", "binary", "external", "integer64", "date"] {
                    try expectEqual(none.value(forKey: key), .null)
                }
            }
        },
        ConformanceCase("a date keeps its milliseconds, and is rounded when it is set") { bench in
            let container = try bench.container()
            let exact = Date(timeIntervalSince1970: 1_700_000_000.123_456)
            let id = try await container.perform { context in
                let entry = Entry(context: context)
                entry.created = exact
                try expectEqual(entry.created, exact.roundedToMilliseconds)
                try context.save()
                return entry.objectID
            }
            let read = try await container.perform { try ($0.existingObject(with: id) as? Entry)?.created }
            try expectEqual(read, exact.roundedToMilliseconds)
            let found = try await container.perform { context in
                try context.count(for: FetchRequest<Entry>(where: "created == %@", exact))
            }
            try expectEqual(found, 1)
        },
        ConformanceCase("a transformable value travels through its transformer") { bench in
            let container = try bench.container()
            let id = try await container.perform { context in
                let object = try context.insertObject(entityName: "AllTypes")
                try object.setTransformed(Point(x: 1.5, y: -2), forKey: "point")
                try context.save()
                return object.objectID
            }
            let point = try await container.perform {
                try $0.existingObject(with: id).transformed("point", as: Point.self)
            }
            try expectEqual(point, Point(x: 1.5, y: -2))
        },
        ConformanceCase("bytes kept outside the row come back, and can be cleared") { bench in
            let container = try bench.container()
            let photo = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let id = try await container.perform { context in
                let entry = Entry(context: context)
                entry.photo = photo
                try context.save()
                try expectEqual(entry.photo, photo)
                return entry.objectID
            }
            try await container.perform { context in
                let entry = try context.existingObject(with: id) as? Entry
                try expectEqual(entry?.photo, photo)
                entry?.photo = nil
                try context.save()
            }
            let cleared = try await container.perform { try $0.existingObject(with: id).value(forKey: "photo") }
            try expectEqual(cleared, .null)
        },
        ConformanceCase("a value that does not fit is refused, and the object stays as it was") { bench in
            let container = try bench.container()
            try await container.perform { context in
                let object = try context.insertObject(entityName: "AllTypes")
                try object.setValue(7, forKey: "integer16")
                let error = try expectError(.invalidValue) { try object.setValue(40_000, forKey: "integer16") }
                try expect(error.message.contains("integer16") && error.message.contains("40000"), error.message)
                try expectError(.invalidValue) { try object.setValue("text", forKey: "date") }
                try expectError(.invalidRequest) { try object.setValue("x", forKey: "unknown") }
                try expectEqual(object.value(forKey: "integer16"), 7)
                object["string"] = 5
                try expectError(.invalidValue) { try context.save() }
                try context.save()
                try expectEqual(context.count(for: FetchRequest<ManagedObject>(entityName: "AllTypes")), 1)
            }
        },
        ConformanceCase("a value that an enumeration does not know reads as missing, stays stored, and fails nothing") {
            bench in
            let container = try bench.container()
            try await container.perform { context in
                let entry = Entry(context: context)
                entry.count = 9
                try context.save()
                for _ in 0..<3 {
                    let mood: Mood = entry["count"], perhaps: Mood? = entry["count"]
                    try expect(mood == .low && perhaps == nil)
                    try expectEqual(context.count(for: FetchRequest<Entry>()), 1)
                }
                entry.text = "changed"
                try context.save()
                try expectEqual(entry.count, 9)
                entry["count"] = Mood.high
                try context.save()
                try expectEqual(entry.count, 1)
            }
        },
        ConformanceCase("an error of reading one object waits for the next fetch, and fails no save of another") {
            bench in
            try await bench.container().perform { context in
                let entry = Entry(context: context), other = Entry(context: context)
                entry.text = "text"
                try context.save()
                let wrong: Int = entry["text"]
                try expectEqual(wrong, 0)
                other.text = "other"
                try context.save()
                try expectError(.invalidValue) { _ = try context.fetch(FetchRequest<Entry>()) }
                let again: Int = entry["text"]
                entry.count = again + 1
                try expectError(.invalidValue) { try context.save() }
                try context.save()
            }
        },
    ]
}

/// An enumeration of two numbers. Its attribute may hold others.
private enum Mood: Int, CaseIterable, AttributeValue {
    case low, high
}
