import Backstitch
import BackstitchSupport
import CloudWire

extension CloudClient {
    /// The results of a request about records, in the order of the request: each belongs to the record that it names,
    /// wherever it stands.
    ///
    /// - Throws: ``SyncFailure`` with a protocol violation when a record has no result, or two.
    /// - Complexity: O(*n*); without a table where the order is that of the request.
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

    /// The failure of a server that does not keep to the wire.
    static func violation(_ message: String) -> SyncFailure {
        SyncFailure(.permanent, BackstitchError(.protocolViolation, message))
    }
}

extension RecordResult {
    /// The record that it is about.
    var recordName: String {
        switch self {
        case .record(let record): record.recordName
        case .error(let error): error.recordName
        }
    }

    /// Whether the server does not have the record, or says that it was deleted.
    var isGone: Bool {
        if case .error(let error) = self { isMissing || error.serverRecordDeleted } else { false }
    }

    /// Whether the server does not have the record.
    var isMissing: Bool {
        guard case .error(let error) = self else { return false }
        return error.error.code == .notFound
    }
}
