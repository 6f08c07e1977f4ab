import Backstitch

/// The behaviour that every store must have, as cases that a test target runs against its own store.
///
/// ```swift
/// @Test("the store conforms", arguments: StoreConformance.cases)
/// func conforms(_ conformanceCase: ConformanceCase) async throws {
///     try await conformanceCase.run(on: StoreUnderTest("mine") { folder in
///         PersistentStoreDescription(type: "Mine", url: folder.appending(path: "store"))
///     })
/// }
/// ```
/// A case makes containers on a store in a folder of its own, and knows nothing of the store but its interface. Cases
/// come in families, each with its own list of demands in the source, and of the ways in which stores fail them. Begin
/// a new store with the first four; the later ones stand on them.
///
/// | families | ask about |
/// |---|---|
/// | values, graphs, deletions | rows: bits of every type, both ends of links, delete rules |
/// | requests, related rows | the store from below a coordinator: versions, conflicts, keys by the thousand |
/// | fetches, prefetching, streams, dictionaries | the same answers as the evaluator in memory, in the same order |
/// | durability, life of stores, aftermath, copies | opening again, read-only, destroyed, elsewhere |
/// | conflicts, merged edits, policies, constraints | two savers and one row, over each merge policy |
/// | contexts, families, life cycle, undo, validation | whole saves, rows anew, objects that are told of their life |
/// | results, related results | live results, which move in memory and are fetched in the store |
/// | batch inserts, updates, deletes, upserts | many rows in one transaction |
/// | order, transients, composites, indexes | models that every store takes |
/// | inheritance, siblings, derived attributes | models that a store may lack the features for |
/// | assets | bytes outside rows, kept before they are named, and let go of |
/// | generations | states of the store that are read while others write |
/// | migrations, in six families | a store and the next version of its model |
/// | history, many objects | what is told of every transaction |
/// | journal, links, outbox, zones, state, batches in the journal | being wrapped by a synced store |
/// | shared places | several containers on one store |
public enum StoreConformance {
    /// All cases. Filter them by ``StoreUnderTest/mustShow(_:)``, or have those that a store lacks pass without trying.
    public static let cases: [ConformanceCase] = [
        valueCases,
        graphCases,
        deletionCases, reinsertionCases,
        knowledgeCases,
        keyCases, nameCases, aggregateCases,
        fetchCases,
        conflictCases,
        mergedEditCases,
        policyCases,
        contextCases,
        lifeCycleCases,
        resultCases,
        relatedResultCases,
        durabilityCases,
        modelCases,
        migrationCases,
        relationshipMigrationCases,
        migrationRefusalCases,
        migrationStageCases,
        journalMigrationCases,
        journalCases,
        storeLifeCases,
        aftermathCases,
        familyMigrationCases,
        fetchingCases,
        undoCases,
        familyCases,
        historyCases,
        manyObjectsCases,
        generationCases,
        validationCases,
        assetCases,
        assetStreamCases,
        requestCases,
        relatedRowCases,
        linkCases,
        journalWriteCases,
        batchJournalCases,
        journalStateCases,
        outboxCases,
        zoneCases, sharedRootCases,
        sharedPlaceCases,
        copyCases,
    ].flatMap { $0 }
}

/// A feature that a store may lack; the store then refuses it with a clear error when it is opened.
public enum StoreFeature: Sendable, Hashable, CaseIterable {
    /// Models with unique constraints.
    ///
    /// A store that has it refuses a save or a batch request in which two objects share the values of a constraint, and
    /// names them.
    case uniqueConstraints
    /// Models whose entities have parents.
    ///
    /// A store that has it finds objects of subentities where the parent is asked for.
    case inheritance
    /// Models with derived attributes.
    ///
    /// A store that has it computes them in the transaction that writes what they depend on.
    case derivedAttributes
    /// Another version of the model than the one it has.
    ///
    /// A store without it refuses such a model with ``BackstitchError/Code/modelMismatch`` and says what differs.
    case migration
    /// Required attributes without a default.
    ///
    /// A synced store lacks it: a record of another device may lack the value.
    case requiredValues
    /// Being only read.
    ///
    /// A store that has it leaves every byte as it is when ``StoreConfiguration/isReadOnly`` is set.
    case readOnly
    /// Being removed by ``PersistentStoreCoordinator/destroyPersistentStore(at:type:options:)``.
    case destruction
    /// History: being a ``JournalingStore``.
    ///
    /// The cases about journal and outbox are for it too, and tell whether a synced store can wrap the store.
    case history
    /// Being read as it was at some moment, by ``PersistentStore/makeSnapshot()``.
    ///
    /// Without it contexts cannot be pinned to a query generation.
    case snapshots
    /// Letting go of bytes that nothing names, by ``PersistentStore/collectAssets()``.
    ///
    /// Without it bytes stay for good: nothing is lost, and space is not won back.
    case assetCollection
    /// Being open several times at once; and, with ``history``, telling each of what the others save.
    case sharing
}

/// One behaviour that a store must have.
///
/// The name says it in words and is its identity: a test target that leaves a case out names it, and says why. Cases
/// share nothing, and may run at once.
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// The behaviour, in words.
    public let name: String
    /// The features that a store must have for it; empty when every store must have it.
    public let features: Set<StoreFeature>
    /// Throws a ``ConformanceFailure`` where the behaviour is another; closes what it opened where that matters.
    private let body: @Sendable (TestBench) async throws -> Void

    /// A case for stores that have these features.
    init(
        _ name: String, needs features: StoreFeature...,
        body: @escaping @Sendable (TestBench) async throws -> Void
    ) {
        self.init(name, features: Set(features), body: body)
    }

    /// A case for stores that have this set of features.
    init(
        _ name: String, features: Set<StoreFeature>, body: @escaping @Sendable (TestBench) async throws -> Void
    ) {
        self.name = name
        self.features = features
        self.body = body
    }

    /// The behaviour.
    public var description: String { name }

    /// Tries the behaviour on a store of its own; does nothing when the store says that it lacks what it needs.
    ///
    /// - Throws: ``ConformanceFailure`` when the store behaves otherwise; any error of the store that the case does not
    ///   expect.
    public func run(on store: StoreUnderTest) async throws {
        guard store.mustShow(self) else { return }
        let bench = try TestBench(store)
        do {
            try await body(bench)
        } catch {
            try? bench.remove()
            throw error
        }
        try bench.remove()
    }
}

/// How a case found a store to behave otherwise than it must.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The expectation that was not met, in words.
    public let description: String
}

/// Throws unless `condition` holds.
func expect(
    _ condition: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String = "", file: String = #fileID,
    line: Int = #line
) throws {
    guard try !condition() else { return }
    throw ConformanceFailure(description: "\(file):\(line) does not hold \(message())")
}

/// Throws unless both are equal.
func expectEqual<Value: Equatable>(
    _ found: @autoclosure () throws -> Value, _ expected: @autoclosure () throws -> Value,
    _ message: @autoclosure () -> String = "", file: String = #fileID, line: Int = #line
) throws {
    let found = try found(), expected = try expected()
    guard found != expected else { return }
    throw ConformanceFailure(description: "\(file):\(line) found \(found), expected \(expected) \(message())")
}

/// Runs `body`, which must throw a ``BackstitchError`` of this code, and gives the error.
@discardableResult
func expectError(
    _ code: BackstitchError.Code, file: String = #fileID, line: Int = #line, _ body: () throws -> Void
) throws -> BackstitchError {
    do { try body() } catch let error as BackstitchError where error.code == code { return error } catch {
        throw ConformanceFailure(description: "\(file):\(line) threw \(error), expected \(code)")
    }
    throw ConformanceFailure(description: "\(file):\(line) threw nothing, expected \(code)")
}
