import BackstitchServer
import Foundation
import TestSupport

/// moto's S3 server. boto3 fills it and lists its content. It ends with this process.
struct MotoStore: Sendable {
    private static let running = Task { try await MotoStore() }

    /// The one of this process, which tests use one after the other.
    static var shared: MotoStore { get async throws { try await running.value } }

    let process: TestProcess
    let port: Int
    /// The port of a second server, which refuses requests on demand.
    let faultyPort: Int

    private init() async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "moto_store.py")
        process = try TestProcess(at: URL(filePath: "/usr/bin/env"), [TestProcess.python, script.path])
        let lacking = TestFailure(
            "tests of S3 need Python 3 with moto and boto3; scripts/bootstrap installs them, or: pip install 'moto[s3,server]==5.2.1' boto3==1.43.11"
        )
        guard let line = try await process.nextLine(),
            let ports = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Int],
            let port = ports["port"], let faultyPort = ports["faulty"]
        else { throw lacking }
        self.port = port
        self.faultyPort = faultyPort
    }

    // MARK: Commands

    private func ask(_ command: [String]) async throws -> Any? {
        let line = String(decoding: try JSONSerialization.data(withJSONObject: command), as: UTF8.self)
        let answer = try JSONSerialization.jsonObject(with: Data(try await process.ask(line).utf8)) as? [String: Any]
        if let error = answer?["error"] { throw TestFailure("\(command[0]): \(error)") }
        return answer?["value"]
    }

    /// A new bucket.
    func bucket() async throws -> String {
        let name = "bucket-\(UUID().uuidString.lowercased())"
        _ = try await ask(["make", name])
        return name
    }

    /// Sizes of the objects, except the object that names their owner.
    func objects(_ bucket: String) async throws -> [String: Int] {
        let all = try await ask(["objects", bucket]) as? [String: Int] ?? [:]
        return all.filter { !$0.key.hasSuffix("backstitch-storage") }
    }

    /// SHA-256 of an object as boto3 reads it.
    func digest(_ bucket: String, _ key: String) async throws -> String {
        try await ask(["digest", bucket, key]) as? String ?? ""
    }

    func put(_ bucket: String, _ key: String, _ text: String) async throws {
        _ = try await ask(["put", bucket, key, text])
    }

    /// Puts objects whose names begin so, and end with numbers.
    func fill(_ bucket: String, _ prefix: String, _ count: Int) async throws {
        _ = try await ask(["fill", bucket, prefix, "\(count)"])
    }

    func remove(_ bucket: String, _ key: String) async throws { _ = try await ask(["remove", bucket, key]) }

    /// Begins a multipart upload and leaves it unfinished.
    func begin(_ bucket: String, _ key: String) async throws { _ = try await ask(["begin", bucket, key]) }

    func uploads(_ bucket: String) async throws -> [String] { try await ask(["uploads", bucket]) as? [String] ?? [] }

    /// Lets the faulty server refuse `times` requests from now on; -1 for all.
    func fault(_ status: Int, _ code: String, times: Int = -1, _ extra: String = "") async throws {
        _ = try await ask(["fault", "\(status)", code, "\(times)", extra])
    }

    /// How many requests the faulty server has answered since then.
    func answered() async throws -> Int { try await ask(["answered"]) as? Int ?? 0 }

    // MARK: Configurations

    static let credentials = S3Configuration.Credentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")

    /// A bucket of the store, or of what stands before it.
    func configuration(_ bucket: String, prefix: String = "zones/assets", port: Int? = nil) -> S3Configuration {
        var result = S3Configuration(
            endpoint: URL(string: "http://127.0.0.1:\(port ?? self.port)"), bucket: bucket, prefix: prefix,
            credentials: Self.credentials)
        result.partSize = 5 << 20
        return result
    }
}
