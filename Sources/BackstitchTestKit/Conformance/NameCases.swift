import Backstitch

extension StoreConformance {
    /// Names that mean something else in SQL, in each clause of a statement.
    ///
    /// A store fails when it writes a name without quotes. It also fails when its database reads a word as special even
    /// in quotes.
    static let nameCases: [ConformanceCase] =
        requestNameCases(words) + modelNameCases(fewWords) + [
            ConformanceCase.migration("parts of a model may get, and lose, names that SQL reads as words of its own") {
                try await tryMigration(fewWords, $0)
            }
        ]

    /// The cases for all keywords of a database, without those of migrations. They leave out the requests for words of
    /// ``nameCases``.
    package static func makeNameCases(of keywords: [String]) -> [ConformanceCase] {
        requestNameCases(keywords.filter { !words.contains($0) }) + modelNameCases(keywords)
    }

    private static func requestNameCases(_ words: [String]) -> [ConformanceCase] {
        [
            ConformanceCase("attributes may have names that SQL reads as words of its own") { bench in
                try await bench.container(wordModel(words)).perform { context in
                    for value in ["a", "b", nil] as [String?] {
                        let object = try context.insertObject(entityName: "Words")
                        for word in words { try object.setValue(value.map(Value.string) ?? .null, forKey: word) }
                    }
                    try context.save()
                    for word in words { try tryRequests(word, in: context) }
                    for word in words { try tryWrites(word, in: context) }
                }
            },
            ConformanceCase("relationships and entities may have names that SQL reads as words of its own") { bench in
                try await bench.container(wordModel(words)).perform { context in
                    let target = try context.insertObject(entityName: "Words")
                    for word in words { try target.setValue("a", forKey: word) }
                    let links = try context.insertObject(entityName: "Links")
                    for word in words {
                        try links.setObject(target, forKey: word)
                        try target.add(context.insertObject(entityName: word), to: "with_\(word)")
                    }
                    try context.save()
                    let other = ManagedObjectContext(coordinator: context.coordinator)
                    for word in words { try tryLinks(word, in: other) }
                    for entity in ["Links", "Words"] + words {
                        try other.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: entity)))
                        try expectEqual(
                            try other.count(for: FetchRequest<ManagedObject>(entityName: entity)), 0, entity)
                    }
                }
            },
        ]
    }

    /// Cases with one name for an entity, its attribute and its relationships.
    private static func modelNameCases(_ words: [String]) -> [ConformanceCase] {
        func named(
            _ subject: String, needs features: Set<StoreFeature> = [], _ model: ManagedObjectModel,
            _ body: @escaping @Sendable (NamedThing) throws -> Void
        ) -> ConformanceCase {
            ConformanceCase("\(subject) may have names that SQL reads as words of its own", features: features) {
                bench in
                try await bench.container(model).perform { context in
                    for word in words { try body(NamedThing(word: word, context: context)) }
                }
            }
        }
        let model = NamedThing.model(words)
        return [
            named("an entity, its attribute and its relationships", model) { thing in
                try thing.tryTexts()
                try thing.tryCollections()
                try thing.tryIdentity()
            },
            named("unique values", needs: [.uniqueConstraints], NamedThing.model(words, isUnique: true)) {
                try $0.tryUnique()
            },
            named("what history tells", needs: [.history], NamedThing.derived(words, areDerived: false)) {
                try $0.tryHistory()
            },
            named("siblings and their parent", needs: [.inheritance], NamedThing.family(words)) { try $0.tryFamily() },
            named("derived values and their sources", needs: [.derivedAttributes], NamedThing.derived(words)) {
                try $0.tryDerived()
            },
        ]
    }

    private static func tryMigration(_ words: [String], _ bench: MigrationBench) async throws {
        let isUnique = !bench.bench.store.lacks.contains(.uniqueConstraints)
        for (round, prefix) in ["Early_", "", "Later_", "", "Early_"].enumerated() {
            let earlier = prefix == "Early_" ? nil : "Early_"
            let model = NamedThing.model(words, prefix: prefix, earlier: earlier, isUnique: isUnique)
            try await bench.open(model) { context in
                for word in words {
                    let thing = NamedThing(word: prefix + word, context: context)
                    if round == 0 {
                        try thing.tryCollections()
                        try thing.tryIdentity()
                    }
                    try thing.tryMigrated(isUnique: isUnique)
                }
            }
        }
    }

    private static func tryRequests(_ word: String, in context: ManagedObjectContext) throws {
        let path = FetchExpression.keyPath(FetchKeyPath(names: [word]))
        func count(_ comparison: FetchComparison.Operator, _ right: FetchExpression) throws -> Int {
            let predicate = FetchPredicate.comparison(FetchComparison(path, comparison, right))
            return try context.count(for: FetchRequest<ManagedObject>(entityName: "Words", predicate: predicate))
        }
        try expectEqual(try count(.equal, .value("a")), 1, word)
        try expectEqual(try count(.notEqual, .value("a")), 2, word)
        try expectEqual(try count(.equal, .value(.null)), 1, word)
        try expectEqual(try count(.in, .list([.value("a"), .value("b")])), 2, word)
        try expectEqual(try count(.beginsWith, .value("b")), 1, word)
        try expectEqual(try count(.like, .value("?")), 2, word)
        try expectEqual(try count(.less, .value("b")), 1, word)
        try expectEqual(try count(.equal, path), 3, word)
        let sorted = try context.fetch(
            FetchRequest<ManagedObject>(entityName: "Words", sortedBy: [.descending(word)], limit: 2))
        try expectEqual(try sorted.map { try $0.value(forKey: word) }, ["b", "a"], word)
        func rows(_ request: DictionaryFetchRequest) throws -> [[Value]] {
            try context.fetch(request).map { Array($0.values) }
        }
        try expectEqual(
            try rows(DictionaryFetchRequest(entityName: "Words", [.key(word)], sortedBy: [.ascending(word)])),
            [[.null], ["a"], ["b"]], word)
        try expectEqual(
            try rows(
                DictionaryFetchRequest(
                    entityName: "Words", [.key(word)], sortedBy: [.descending(word)], returnsDistinctResults: true)),
            [["b"], ["a"], [.null]], word)
        let grouped = DictionaryFetchRequest(
            entityName: "Words", [.key(word), .count(as: "the_number"), .max(word, as: "the_last")],
            groupBy: [word], having: .comparison(FetchComparison(path, .greater, .value("a"))),
            sortedBy: [.ascending(word)])
        try expectEqual(try rows(grouped), [["b", 1, "b"]], word)
        try expectEqual(
            try rows(DictionaryFetchRequest(entityName: "Words", [.count(as: word)])), [[3]], word)
    }

    private static func tryWrites(_ word: String, in context: ManagedObjectContext) throws {
        let isB = FetchPredicate.comparison(
            FetchComparison(.keyPath(FetchKeyPath(names: [word])), .equal, .value("b")))
        let update = BatchUpdateRequest(entityName: "Words", where: isB, set: [word: "c"])
        try expectEqual(try context.execute(update).count, 1, word)
        let objects = try context.fetch(
            FetchRequest<ManagedObject>(entityName: "Words", sortedBy: [.ascending(word)]))
        try expectEqual(try objects.map { try $0.value(forKey: word) }, [.null, "a", "c"], word)
        try objects[1].setValue("d", forKey: word)
        try context.save()
        let again = ManagedObjectContext(coordinator: context.coordinator)
        try expectEqual(
            try again.existingObject(with: objects[1].objectID).value(forKey: word), "d", word)
    }

    private static func tryLinks(_ word: String, in context: ManagedObjectContext) throws {
        func count(_ entity: String, _ names: [String], _ quantifier: FetchComparison.Quantifier? = nil) throws -> Int {
            let predicate = FetchPredicate.comparison(
                FetchComparison(
                    .keyPath(FetchKeyPath(names: names)), .equal, .value("a"), quantifier: quantifier))
            return try context.count(for: FetchRequest<ManagedObject>(entityName: entity, predicate: predicate))
        }
        try expectEqual(try count("Links", [word, word]), 1, word)
        try expectEqual(try count(word, ["words", word]), 1, word)
        try expectEqual(try count("Words", ["of_\(word)", word, word], .any), 1, word)
        let rows = try context.fetch(
            DictionaryFetchRequest(
                entityName: "Links", [.key("\(word).\(word)", as: word)], groupBy: ["\(word).\(word)"]))
        try expectEqual(rows.map { Array($0.values) }, [["a"]], word)
        let target = try context.fetch(FetchRequest<ManagedObject>(entityName: "Words"))[0]
        try expectEqual(try target.objects(forKey: "of_\(word)").count, 1, word)
        try expectEqual(try target.objects(forKey: "with_\(word)").map(\.entity.name), [word], word)
    }

    /// Words of SQLite's and PostgreSQL's languages, and the names that Backstitch's statements use themselves.
    private static let words = """
        true false null select from where group order by having limit offset distinct union join natural cross as on using \
        user current_date current_time current_timestamp current_user session_user localtime rowid oid abs count sum max \
        all any and or not is in like glob match between exists case when then else end cast collate asc desc nulls \
        insert into values update set delete returning excluded conflict default check unique primary foreign references \
        index table view trigger column constraint create alter drop begin commit rollback new old row array \
        window over filter partition recursive lateral analyze verbose placing initially \
        key keys version entity source target value wanted text integer date p p1 t0 t1 n i v s zone record
        """.split(separator: " ").map(String.init)

    /// Words of each kind, for cases that make many tables for each.
    private static let fewWords = """
        true false select from where group order limit user rowid oid table index values case end primary window \
        current_date key version entity source target value t0 p1 record
        """.split(separator: " ").map(String.init)

    private static func wordModel(_ words: [String]) -> ManagedObjectModel {
        let attributes = words.map { PropertyDescription.attribute($0, .string) }
        let collections = words.flatMap {
            [
                PropertyDescription.toMany("of_\($0)", "Links", inverse: $0),
                .toMany("with_\($0)", $0, inverse: "words"),
            ]
        }
        let links = words.map { PropertyDescription.toOne($0, "Words", inverse: "of_\($0)") }
        return ManagedObjectModel(
            [EntityDescription("Words", attributes + collections), EntityDescription("Links", links)]
                + words.map { EntityDescription($0, [.toOne("words", "Words", inverse: "with_\($0)")]) })
    }
}
