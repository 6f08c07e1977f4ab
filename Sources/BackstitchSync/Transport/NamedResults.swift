import Backstitch
import BackstitchSupport
import CloudWire

extension CloudClient {
    /// Returns the results of a request about records, in the order of the request. Each result is found by the
    /// record's name, in any order of the answer.
    ///
    /// - Throws: ``SyncFailure`` with a protocol violation when a record has no result, or two.
    /// - Complexity: O(*n*); without a table if the answer has the request's order.
    static func results(
        _ results: [RecordResult], for names: [String], _ endpoint: WireEndpoint
    ) throws -> [RecordResult] {
        if results.count == names.count, zip(results, names).allSatisfy({ $0.recordName.isSame(as: $1) }) {
            return results
        }
        var byName: [ByteText: RecordResult] = Dictionary(minimumCapacity: results.count)
        for result in results where byName.updateValue(result, forKey: ByteText(result.recordName)) != nil {
            throw violation("the server's answer to \(endpoint.rawValue) names \"\(result.recordName)\" twice")
        }
        return try names.map { name in
            if let result = byName[ByteText(name)] { return result }
            throw violation("the server's answer to \(endpoint.rawValue) lacks the record \"\(name)\"")
        }
    }

    /// Creates the failure for a server that breaks the protocol.
    static func violation(_ message: String) -> SyncFailure {
        SyncFailure(.permanent, BackstitchError(.protocolViolation, message))
    }
}

extension RecordResult {
    /// The name of the result's record.
    var recordName: String {
        switch self {
        case .record(let record): record.recordName
        case .error(let error): error.recordName
        }
    }

    /// Whether the server does not have the record, or reports its deletion.
    var isGone: Bool {
        if case .error(let error) = self { isMissing || error.serverRecordDeleted } else { false }
    }

    /// Whether the server does not have the record.
    var isMissing: Bool {
        guard case .error(let error) = self else { return false }
        return error.error.code == .notFound
    }
}
