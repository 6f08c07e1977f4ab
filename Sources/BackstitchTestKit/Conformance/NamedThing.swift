import Backstitch

/// An entity, an attribute and relationships of one name, and the requests of a program for them.
///
/// Each word has four entities. The thing and its attribute have this name. The box has a relationship of this name to
/// things, and the shelf has one to boxes. The book is identified by its attribute of this name.
struct NamedThing {
    /// The word. It means something else in SQL.
    let word: String
    let context: ManagedObjectContext

    /// The entities of all words, with names that begin with `prefix`.
    ///
    /// - Parameter earlier: The beginning of all names in the first version of the model.
    static func model(
        _ words: [String], prefix: String = "", earlier: String? = nil, isUnique: Bool = false
    ) -> ManagedObjectModel {
        ManagedObjectModel(
            words.flatMap { word -> [EntityDescription] in
                let name = prefix + word
                func entity(_ beginning: String, _ properties: PropertyDescription...) -> EntityDescription {
                    let entity = EntityDescription(beginning + name, properties)
                    return earlier.map { entity.renamed(from: beginning + $0 + word) } ?? entity
                }
                func named(_ property: PropertyDescription) -> PropertyDescription {
                    earlier.map { property.renamed(from: $0 + word) } ?? property
                }
                let text = named(.attribute(name, .string)), copy = PropertyDescription.attribute("the_copy", .string)
                var thing = entity("", text, copy, .toOne("box_", "Box_" + name, inverse: name))
                if isUnique { thing.uniquenessConstraints = [[name]] }
                return [
                    thing.indexed(.ascending(name)).indexed(.descending(name, options: .caseInsensitive)),
                    entity(
                        "Box_", named(.toMany(name, name, inverse: "box_", ordered: true)),
                        .toMany("shelves", "Shelf_" + name, inverse: name)),
                    entity("Shelf_", named(.toMany(name, "Box_" + name, inverse: "shelves"))),
                    entity("Book_", text, copy).identified(by: name, namespace: "Book of \(word)"),
                ]
            })
    }

    /// Throws unless `count` objects of the store satisfy a predicate. `%K` is the word.
    private func expectCount(
        _ entity: String, _ format: String, _ count: Int, file: String = #fileID, line: Int = #line
    ) throws {
        let parts = format.split(separator: "%K", omittingEmptySubsequences: false)
        let words: [(any PredicateArgument)?] = parts.dropFirst().map { _ in word }
        let predicate = try FetchPredicate(format: format, arguments: words)
        try expectCount(entity, predicate, count, file: file, line: line)
    }

    private func expectCount(
        _ entity: String, _ predicate: FetchPredicate, _ count: Int, file: String = #fileID, line: Int = #line
    ) throws {
        let other = ManagedObjectContext(coordinator: context.coordinator)
        let request = FetchRequest<ManagedObject>(entityName: entity + word, predicate: predicate)
        try expectEqual(try other.count(for: request), count, "\(predicate)", file: file, line: line)
    }

    private func insert(_ objects: [[String: Value]], into entity: String = "") throws {
        try context.execute(BatchInsertRequest(entityName: entity + word, objects: objects))
    }

    /// The texts of things, in an order.
    private func texts(_ sortDescriptors: FetchSortDescriptor..., limit: Int? = nil) throws -> [Value] {
        let request = FetchRequest<ManagedObject>(entityName: word, sortedBy: sortDescriptors, limit: limit)
        return try ManagedObjectContext(coordinator: context.coordinator).fetch(request).map {
            try $0.value(forKey: word)
        }
    }
}

extension NamedThing {
    /// Batch requests, text options, orders and groups.
    func tryTexts() throws {
        try insert([[word: "A"], [word: "äb"], [word: .null], [word: "c D"]])
        for (format, count) in [
            ("%K ==[c] 'a'", 1), ("%K !=[c] 'a'", 3), ("%K BEGINSWITH[cd] 'A'", 2), ("%K CONTAINS[c] 'C d'", 1),
            ("%K ENDSWITH[c] 'd'", 1), ("%K LIKE[cd] 'A*'", 2), ("%K MATCHES[c] 'a|c d'", 2),
            ("%K IN[c] {'a', 'C D'}", 2), ("%K <[cd] 'b'", 2), ("%K BETWEEN {'A', 'B'}", 1), ("%K == %K", 4),
            ("%K CONTAINS[d] %K", 3), ("NOT (%K > 'b' OR %K == NIL)", 1),
        ] {
            try expectCount("", format, count)
        }
        let options: FetchTextOptions = [.caseInsensitive, .diacriticInsensitive]
        try expectEqual(try texts(.descending(word, options: options), limit: 3), ["c D", "äb", "A"], word)
        try expectEqual(
            try texts(.ascending(word, options: .numeric), .ascending("the_copy")), [.null, "A", "c D", "äb"], word)
        let groups = DictionaryFetchRequest(
            entityName: word,
            [.key(word), .aggregate(.countDistinct, word, as: "the_different"), .min(word, as: "the_least")],
            where: try FetchPredicate(format: "%K !=[c] 'a'", word), groupBy: [word],
            having: try FetchPredicate(format: "%K > 'b'", word), sortedBy: [.descending(word)])
        try expectEqual(
            try context.fetch(groups).map { Array($0.values) }, [["äb", 1, "äb"], ["c D", 1, "c D"]], word)
        let update = BatchUpdateRequest(
            entityName: word, where: try FetchPredicate(format: "%K == 'c D'", word),
            set: [word: .key(word) + "!", "the_copy": .key(word)])
        try expectEqual(try context.execute(update).count, 1, word)
        try expectCount("", "%K == 'c D!' AND the_copy == 'c D'", 1)
        let nothing = try FetchRequest<ManagedObject>(entityName: word, where: "%K == NIL", word)
        try expectEqual(try context.execute(BatchDeleteRequest(nothing)).count, 1, word)
        try expectEqual(try texts(.ascending(word)), ["A", "c D!", "äb"], word)
    }

    /// To-many relationships, ordered and of many to many, in subqueries, counts, quantifiers and prefetching.
    func tryCollections() throws {
        let box = try context.insertObject(entityName: "Box_\(word)")
        for text in ["z", "A"] as [Value] {
            let thing = try context.insertObject(entityName: word)
            try thing.setValue(text, forKey: word)
            try box.add(thing, to: word)
        }
        try context.insertObject(entityName: "Shelf_\(word)").add(box, to: word)
        try context.save()
        let text = FetchExpression.keyPath(FetchKeyPath(root: .variable(word), names: [word]))
        let isA = FetchPredicate.comparison(FetchComparison(text, .equal, .value("A")))
        let selected = FetchSubquery(FetchKeyPath(names: [word]), variable: word, where: isA)
        let one = FetchExpression.value(1)
        try expectCount("Box_", .comparison(FetchComparison(.subqueryCount(selected), .equal, one)), 1)
        let number = FetchExpression.count(FetchKeyPath(names: [word]))
        try expectCount("Box_", .comparison(FetchComparison(number, .greater, one)), 1)
        func quantified(_ quantifier: FetchComparison.Quantifier, _ depth: Int) -> FetchPredicate {
            let path = FetchKeyPath(names: Array(repeating: word, count: depth))
            return .comparison(FetchComparison(.keyPath(path), .equal, .value("A"), quantifier: quantifier))
        }
        try expectCount("Box_", quantified(.any, 2), 1)
        try expectCount("Box_", quantified(.all, 2), 0)
        try expectCount("Shelf_", quantified(.any, 3), 1)
        try expectCount("Shelf_", quantified(.none, 3), 0)
        try expectCollections()
    }

    /// The box has its things in their order, and the shelf has the box.
    private func expectCollections() throws {
        let other = ManagedObjectContext(coordinator: context.coordinator)
        var request = FetchRequest<ManagedObject>(entityName: "Box_\(word)")
        request.relationshipKeyPathsForPrefetching = [word, "shelves"]
        let boxes = try other.fetch(request)
        try expectEqual(boxes.count, 1, word)
        for box in boxes {
            try expectEqual(try box.objects(forKey: word).map { try $0.value(forKey: word) }, ["z", "A"], word)
            for shelf in try box.objects(forKey: "shelves") {
                try expectEqual(try shelf.objects(forKey: word).map(\.objectID), [box.objectID], word)
            }
            try expectEqual(try box.objects(forKey: "shelves").count, 1, word)
        }
    }

    /// Objects that the attribute identifies.
    func tryIdentity() throws {
        let book = try context.insertObject(entityName: "Book_\(word)", identifiedBy: [word: "1"])
        try context.save()
        try insert([[word: "2", "the_copy": "b"]], into: "Book_")
        let other = ManagedObjectContext(coordinator: context.coordinator)
        let found = try ["1", "2", "3"].map {
            try other.object(entityName: "Book_\(word)", identifiedBy: [word: .string($0)])
        }
        try expectEqual(found[0]?.objectID, book.objectID, word)
        try expectEqual(try found[1]?.value(forKey: "the_copy"), "b", word)
        try expectEqual(found[2]?.objectID, nil, word)
        try book.setValue("4", forKey: word)
        let error = try expectError(.validation) { try context.save() }
        try expect(error.message.contains(word), error.message)
        context.rollback()
    }

    /// A unique attribute, in saves and in batch requests.
    func tryUnique() throws {
        try insert([[word: "a"], [word: "b"]])
        let twin = try context.insertObject(entityName: word)
        try twin.setValue("a", forKey: word)
        let conflict = try expectError(.constraint) { try context.save() }.constraintConflict
        try expectEqual(conflict?.keys, [word])
        try expectEqual(conflict?.values, ["a"], word)
        context.rollback()
        try expectError(.constraint) { try insert([[word: "c"], [word: "b"]]) }
        try expectError(.constraint) {
            try context.execute(BatchUpdateRequest(entityName: word, set: [word: "x"]))
        }
        context.mergePolicy = .mergeByPropertyObjectTrump
        defer { context.mergePolicy = .error }
        try insert([[word: "a", "the_copy": "n"], [word: "c"]])
        try expectCount("", "%K IN {'a', 'b', 'c'}", 3)
        try expectCount("", "%K == 'a' AND the_copy == 'n'", 1)
        let other = try context.insertObject(entityName: word)
        try other.setValue("b", forKey: word)
        try other.setValue("m", forKey: "the_copy")
        try context.save()
        try expectEqual(try texts(.ascending(word)), ["a", "b", "c"], word)
        try expectCount("", "%K == 'b' AND the_copy == 'm'", 1)
    }

    /// History tells the names, and keeps the values of a deleted object.
    func tryHistory() throws {
        let coordinator = context.coordinator, token = try coordinator.currentHistoryToken()
        let thing = try context.insertObject(entityName: word)
        try context.save()
        try thing.setValue(2, forKey: word)
        try context.save()
        context.delete(thing)
        try context.save()
        let changes = try coordinator.history(after: token, where: "ANY changes.entityName == %@", word)
            .flatMap(\.changes)
        try expectEqual(changes.map(\.kind), [.insert, .update, .delete], word)
        try expectEqual(changes.map(\.objectID), Array(repeating: thing.objectID, count: 3))
        try expectEqual(changes[1].updatedProperties, [word])
        try expectEqual(changes[2].tombstone, [word: 2])
    }

    /// All that ``tryCollections()`` and ``tryIdentity()`` have saved is there, and can be changed.
    func tryMigrated(isUnique: Bool) throws {
        try expectCount("", "%K == 'A'", 1)
        try expectCount("", "%K ==[c] 'Z' AND box_ != NIL", 1)
        try expectCollections()
        let book = try context.object(entityName: "Book_\(word)", identifiedBy: [word: "2"])
        try expectEqual(try book?.value(forKey: "the_copy"), "b", word)
        if isUnique { try expectError(.constraint) { try insert([[word: "A"]]) } }
        let update = BatchUpdateRequest(
            entityName: word, where: try FetchPredicate(format: "%K == 'A'", word), set: ["the_copy": .key(word)])
        try context.execute(update)
        try expectCount("", "the_copy == %K AND %K == 'A'", 1)
    }
}

extension NamedThing {
    /// Siblings with the attribute, each of another type, below a parent with the word's name.
    static func family(_ words: [String]) -> ManagedObjectModel {
        ManagedObjectModel(
            words.flatMap { word in
                [
                    EntityDescription(word, abstract: true, [.attribute("the_copy", .string)]),
                    EntityDescription("Left_" + word, parent: word, [.attribute(word, .string)]),
                    EntityDescription("Right_" + word, parent: word, [.attribute(word, .integer64)]),
                ]
            })
    }

    /// Requests for the parent and for the siblings.
    func tryFamily() throws {
        try insert([[word: "a"]], into: "Left_")
        try insert([[word: 5]], into: "Right_")
        try expectCount("Left_", "%K == 'a'", 1)
        try context.execute(BatchUpdateRequest(entityName: "Right_" + word, set: [word: .key(word) + 1]))
        try expectCount("Right_", "%K == 6", 1)
        let all = FetchRequest<ManagedObject>(entityName: word)
        try expectEqual(Set(try context.fetch(all).map(\.entity.name)), ["Left_" + word, "Right_" + word])
        try expectEqual(try context.execute(BatchDeleteRequest(all)).count, 2, word)
    }

    /// Attributes that the store computes from the word's attribute and relationship.
    ///
    /// - Parameter areDerived: Whether there are such attributes besides the sources.
    static func derived(_ words: [String], areDerived: Bool = true) -> ManagedObjectModel {
        ManagedObjectModel(
            words.flatMap { word in
                let copies: [PropertyDescription] = [.derived("the_copy", .integer64, from: word)]
                let sums: [PropertyDescription] = [
                    .derived("the_number", .integer64, from: "\(word).@count"),
                    .derived("the_total", .integer64, from: "\(word).@sum.\(word)"),
                ]
                let properties: [PropertyDescription] = [
                    .attribute(word, .integer64).preservedInHistory(), .toOne("box_", "Box_" + word, inverse: word),
                ]
                return [
                    EntityDescription(word, properties + (areDerived ? copies : [])),
                    EntityDescription(
                        "Box_" + word, [.toMany(word, word, inverse: "box_")] + (areDerived ? sums : [])),
                ]
            })
    }

    /// Derived values after a save and after a batch request.
    func tryDerived() throws {
        let box = try context.insertObject(entityName: "Box_" + word)
        for number in [1, 2] as [Value] {
            let thing = try context.insertObject(entityName: word)
            try thing.setValue(number, forKey: word)
            try box.add(thing, to: word)
        }
        try context.save()
        try expectCount("Box_", "the_number == 2 AND the_total == 3", 1)
        try expectCount("", "the_copy == %K", 2)
        try context.execute(BatchUpdateRequest(entityName: word, set: [word: .key(word) + 10]))
        try expectCount("Box_", "the_number == 2 AND the_total == 23", 1)
        try expectCount("", "the_copy == %K AND the_copy > 10", 2)
    }
}
