import Backstitch

extension StoreConformance {
    /// Two entities, and the two ends of their relationship.
    private static func pair(
        _ books: (name: String, toMany: Bool), _ readers: (name: String, toMany: Bool), book: String = "Book",
        reader: String = "Reader"
    ) -> ManagedObjectModel {
        /// One end of a relationship. An end with another name in the older model is a rename of that.
        func end(_ own: (name: String, toMany: Bool), _ destination: String, _ inverse: String) -> PropertyDescription {
            let property: PropertyDescription =
                own.toMany
                ? .toMany(own.name, destination, inverse: inverse) : .toOne(own.name, destination, inverse: inverse)
            return ["a", "b"].contains(own.name) ? property : property.renamed(from: own.toMany ? "a" : "b")
        }
        return ManagedObjectModel([
            EntityDescription(book, [.attribute("name", .string), end(readers, reader, books.name)])
                .renamed(from: "Book"),
            EntityDescription(reader, [.attribute("name", .string), end(books, book, readers.name)])
                .renamed(from: "Reader"),
        ])
    }

    /// `a` is the relationship from readers to books, `b` the one from books to readers.
    private static func model(_ a: Bool, _ b: Bool, book: String = "Book", reader: String = "Reader")
        -> ManagedObjectModel
    {
        pair(("a", a), ("b", b), book: book, reader: reader)
    }

    /// Links as texts `reader>book`, which must be the same from both ends.
    private static func links(
        _ context: ManagedObjectContext, book: String = "Book", reader: String = "Reader"
    ) throws -> [String] {
        /// The names of the objects at the other end of a relationship.
        func ends(_ object: ManagedObject, _ key: String) throws -> [String] {
            let isToMany = object.entity.property(named: key)?.relationship?.isToMany ?? false
            let objects = try isToMany ? object.objects(forKey: key) : [object.object(forKey: key)].compactMap { $0 }
            return objects.compactMap { $0["name"] as String? }
        }
        let forward = try context.all(reader).flatMap { object in
            try ends(object, "a").map { "\((object["name"] as String?) ?? "")>\($0)" }
        }
        let backward = try context.all(book).flatMap { object in
            try ends(object, "b").map { "\($0)>\((object["name"] as String?) ?? "")" }
        }
        try expectEqual(forward.sorted(), backward.sorted())
        return forward.sorted()
    }

    /// Two books and two readers. Each reader has read both.
    private static let all = ["1>x", "1>y", "2>x", "2>y"]
    /// The kinds of the two ends, with possible links for each kind.
    private static let shapes: [(a: Bool, b: Bool, given: [String])] = [
        (true, true, all), (false, true, ["1>x", "2>x"]), (true, false, ["1>x", "1>y"]),
        (false, false, ["1>y", "2>x"]),
    ]

    /// Makes two books, two readers, and these links.
    private static func fill(_ context: ManagedObjectContext, _ given: [String], isToMany: Bool) throws {
        var objects: [String: ManagedObject] = [:]
        for (entity, name) in [("Book", "x"), ("Book", "y"), ("Reader", "1"), ("Reader", "2")] {
            objects[name] = try context.make(entity, ["name": .string(name)])
        }
        for link in given {
            let ends = link.split(separator: ">").map(String.init)
            guard let reader = objects[ends[0]], let book = objects[ends[1]] else { continue }
            if isToMany { try reader.add(book, to: "a") } else { try reader.setObject(book, forKey: "a") }
        }
    }

    /// The links that survive when the ends change their kind. Of several links, the one to the object made first
    /// survives.
    private static func left(_ given: [String], a: Bool, b: Bool) -> [String] {
        var seen: Set<Substring> = []
        let readers = given.filter { a || seen.insert($0.prefix(1)).inserted }
        seen = []
        return readers.filter { b || seen.insert($0.suffix(1)).inserted }
    }

    /// The model as a separate version, unknown to every store.
    private static func version(_ number: Int, of model: ManagedObjectModel) -> ManagedObjectModel {
        var model = model
        model.entities[0].properties.append(.attribute("version\(number)", .boolean))
        return model
    }

    /// Removes all objects, and makes the books, the readers and their links.
    private static func refill(
        _ bench: MigrationBench, _ model: ManagedObjectModel, _ given: [String], isToMany: Bool
    ) async throws {
        try await bench.open(model) { context in
            for object in try context.all("Book") + context.all("Reader") { context.delete(object) }
            try context.save()
            try fill(context, given, isToMany: isToMany)
        }
    }

    /// Relationships change their kind, their name and their sides, and keep the links that have a place.
    ///
    /// A backend must
    /// - move links between columns and tables of links when a side becomes to-many or to-one;
    /// - keep the link to the object made first, if only one of several has a place;
    /// - carry renamed entities, inverses and owning sides along in the same step.
    ///
    /// A store fails when the owning side changes with a name, and the table's two columns keep their places.
    static let relationshipMigrationCases = [
        ConformanceCase.migration(
            "relationships change between one and many at either end, and keep the links that fit"
        ) {
            bench in
            var number = 0
            for (index, old) in shapes.enumerated() {
                for (other, new) in shapes.enumerated() where index != other {
                    number += 2
                    try await refill(bench, version(number, of: model(old.a, old.b)), old.given, isToMany: old.a)
                    let expected = left(old.given, a: new.a, b: new.b)
                    for _ in 1...2 {
                        try await bench.open(version(number + 1, of: model(new.a, new.b))) { context in
                            try expectEqual(links(context), expected, "from \(old) to \(new)")
                        }
                    }
                }
            }
        },
        ConformanceCase.migration("entities exchange their names, also where that changes who keeps the links") {
            bench in
            for (index, shape) in shapes.enumerated() {
                let number = index * 3
                try await refill(bench, version(number, of: model(shape.a, shape.b)), shape.given, isToMany: shape.a)
                // If both ends are alike, the end whose entity is first in the alphabet keeps the links.
                let renamed = model(shape.a, shape.b, book: "Work", reader: "Person")
                for _ in 1...2 {
                    try await bench.open(version(number + 1, of: renamed)) { context in
                        try expectEqual(links(context, book: "Work", reader: "Person"), shape.given, "\(shape)")
                    }
                }
                let exchanged = model(shape.a, shape.b, book: "Reader", reader: "Book")
                try await bench.open(version(number + 2, of: exchanged)) { context in
                    try expectEqual(links(context, book: "Reader", reader: "Book"), shape.given, "\(shape)")
                }
            }
        },
        ConformanceCase.migration("relationships are added, renamed and removed") { bench in
            let first = ManagedObjectModel([
                EntityDescription(
                    "Node",
                    [
                        .attribute("name", .string), .toOne("up", "Node", inverse: "down"),
                        .toMany("down", "Node", inverse: "up"),
                    ])
            ])
            let second = ManagedObjectModel([
                EntityDescription(
                    "Node",
                    [
                        .attribute("name", .string), .toOne("parent", "Node", inverse: "children").renamed(from: "up"),
                        // The inverse follows without an instruction of its own.
                        .toMany("children", "Node", inverse: "parent"), .toMany("friends", "Node", inverse: "fans"),
                        .toMany("fans", "Node", inverse: "friends"),
                    ])
            ])
            try await bench.open(first) { context in
                let top = try context.make("Node", ["name": "top"])
                for name in ["a", "b"] { try top.add(context.make("Node", ["name": .string(name)]), to: "down") }
            }
            try await bench.open(second) { context in
                let nodes = try context.all("Node")
                try expectEqual(nodes[0].objects(forKey: "children").count, 2)
                try expectEqual(nodes[1].object(forKey: "parent"), nodes[0])
                try nodes[1].add(nodes[2], to: "friends")
            }
            let third = ManagedObjectModel([EntityDescription("Node", [.attribute("name", .string)])])
            try await bench.open(third) {
                try expectEqual($0.all("Node").map { try $0.value(forKey: "name") }, ["top", "a", "b"])
            }
        },
    ]
}
