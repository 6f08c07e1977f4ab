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
public enum StoreConformance {
    /// All cases.
    public static let cases: [ConformanceCase] = [
        valueCases,
        graphCases,
        deletionCases,
        knowledgeCases,
        fetchCases,
        conflictCases,
        mergedEditCases,
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
        requestCases,
        relatedRowCases,
        linkCases,
        journalWriteCases,
        journalStateCases,
        outboxCases,
        sharedPlaceCases,
        copyCases,
    ].flatMap { $0 }
}

/// A feature that a store may lack; the store then refuses it with a clear error when it is opened.
public enum StoreFeature: Sendable, Hashable, CaseIterable {
    /// Models with unique constraints.
    case uniqueConstraints
    /// Models whose entities have parents.
    case inheritance
    /// Models with derived attributes.
    case derivedAttributes
    /// Another version of the model than the one it has.
    case migration
    /// Required attributes without a default.
    case requiredValues
    /// Being only read.
    case readOnly
    /// Being removed by ``PersistentStoreCoordinator/destroyPersistentStore(at:type:options:)``.
    case destruction
    /// History: being a ``JournalingStore``.
    case history
    /// Being read as it was at some moment, by ``PersistentStore/makeSnapshot()``.
    case snapshots
    /// Letting go of bytes that nothing names, by ``PersistentStore/collectAssets()``.
    case assetCollection
    /// Being open several times at once; and, with ``history``, telling each of what the others save.
    case sharing
}

/// One behaviour that a store must have.
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// The behaviour, in words.
    public let name: String
    /// The features that a store must have for it; empty when every store must have it.
    public let features: Set<StoreFeature>
    private let body: @Sendable (TestBench) async throws -> Void

    init(
        _ name: String, needs features: StoreFeature...,
        body: @escaping @Sendable (TestBench) async throws -> Void
    ) {
        self.init(name, features: Set(features), body: body)
    }

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
