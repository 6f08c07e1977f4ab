import Backstitch

/// The required behaviour of every store, as cases that a test target runs against its own store.
///
/// ```swift
/// @Test("the store conforms", arguments: StoreConformance.cases)
/// func conforms(_ conformanceCase: ConformanceCase) async throws {
///     try await conformanceCase.run(on: StoreUnderTest("mine") { folder in
///         PersistentStoreDescription(type: "Mine", url: folder.appending(path: "store"))
///     })
/// }
/// ```
/// A case makes containers on a store in a folder of its own, and uses only the store's public interface. Cases are
/// grouped in families. In the source, each family lists its demands, and typical failures of stores. Begin a new store
/// with the first four families, because the later ones build on them.
///
/// | families | subject |
/// |---|---|
/// | values, graphs, deletions | rows: bits of every type, both ends of links, delete rules |
/// | requests, related rows | the store from below a coordinator: versions, conflicts, keys by the thousand |
/// | fetches, prefetching, streams, dictionaries | the same answers as the evaluator in memory, in the same order |
/// | durability, life of stores, aftermath, copies | opening again, read-only, destroyed, elsewhere |
/// | conflicts, merged edits, policies, constraints | two savers and one row, over each merge policy |
/// | contexts, families, life cycle, undo, validation | whole saves, rows anew, callbacks of objects |
/// | results, related results | live results, which move in memory and are fetched in the store |
/// | batch inserts, updates, deletes, upserts | many rows in one transaction |
/// | order, transients, composites, indexes | models that every store takes |
/// | inheritance, siblings, derived attributes | models with features that a store may lack |
/// | assets | bytes outside rows, kept before they are named, and freed |
/// | generations | states of the store that are read while others write |
/// | migrations, in six families | a store and the next version of its model |
/// | history, many objects | the report of every transaction |
/// | journal, links, outbox, zones, state, batches in the journal | being wrapped by a synced store |
/// | shared places | several containers on one store |
public enum StoreConformance {
    /// All cases. Filter them by ``StoreUnderTest/mustShow(_:)``; otherwise the cases of lacking features pass
    /// untested.
    public static let cases: [ConformanceCase] = [
        valueCases, valueMatrixCases,
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
        contentMigrationCases,
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
        zoneCases, sharedRootCases, creatorCases,
        sharedPlaceCases,
        copyCases,
    ].flatMap { $0 }
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

/// Runs `body`, which must throw a ``BackstitchError`` of this code, and returns the error.
@discardableResult
func expectError(
    _ code: BackstitchError.Code, file: String = #fileID, line: Int = #line, _ body: () throws -> Void
) throws -> BackstitchError {
    do { try body() } catch let error as BackstitchError where error.code == code { return error } catch {
        throw ConformanceFailure(description: "\(file):\(line) threw \(error), expected \(code)")
    }
    throw ConformanceFailure(description: "\(file):\(line) threw nothing, expected \(code)")
}
