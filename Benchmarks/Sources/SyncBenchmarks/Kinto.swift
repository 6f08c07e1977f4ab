import Foundation
import Harness

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Kinto stores JSON records for apps that work offline. Here it has its PostgreSQL backend and runs as a process of
/// its own, for the life of this object. It is available if `kinto` is on the PATH (`pip install "kinto[postgresql]"`).
final class Kinto {
    /// The number of records in a request. It is far above Kinto's default limit, so the limit is raised.
    private static let batch = 200
    /// The number of records on a page.
    private static let page = 5_000

    private let process = Process()
    private let client: KintoClient

    /// The path of the program; nil when it is not installed.
    static var program: String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/kinto" }.first(where: FileManager.default.isExecutableFile)
    }

    /// Starts Kinto with its settings in a folder.
    ///
    /// - Throws: ``BenchmarkError`` when Kinto does not print its address within half a minute.
    init(_ program: String, folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let database = try PostgresServer.shared.get().address.replacing("postgres://", with: "postgresql://")
        let settings = "\(folder)/kinto.ini", log = "\(folder)/kinto.log"
        try """
        [server:main]
        use = egg:waitress#main
        listen = 127.0.0.1:0
        [app:main]
        use = egg:kinto
        kinto.storage_backend = kinto.core.storage.postgresql
        kinto.storage_url = \(database)
        kinto.permission_backend = kinto.core.permission.postgresql
        kinto.permission_url = \(database)
        kinto.bucket_create_principals = system.Everyone
        kinto.batch_max_requests = \(Self.batch)
        """.write(toFile: settings, atomically: true, encoding: .utf8)
        try "".write(toFile: log, atomically: true, encoding: .utf8)
        let command = "'\(program)' migrate --ini '\(settings)' && exec '\(program)' start --ini '\(settings)'"
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", ChildProcess.script(keeping: "{ \(command); } >>'\(log)' 2>&1")]
        try process.run()
        client = try KintoClient(Self.address(in: log))
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// Sends `count` contacts to a new collection.
    func push(_ count: Int, to collection: String) async throws {
        _ = try await client.call("PUT", "/buckets/bench")
        _ = try await client.call("PUT", "/buckets/bench/collections/\(collection)")
        for first in stride(from: 0, to: count, by: Self.batch) {
            let requests = (first..<min(first + Self.batch, count)).map { number -> [String: Any] in
                let path = "/buckets/bench/collections/\(collection)/records/\(UUID().uuidString.lowercased())"
                return ["path": path, "body": ["data": Self.contact(number)]]
            }
            let answer = try await client.call(
                "POST", "/batch", ["defaults": ["method": "PUT"], "requests": requests])
            let responses = (answer.body["responses"] as? [[String: Any]]) ?? []
            try expect(
                responses.filter { $0["status"] as? Int == 201 }.count, requests.count, "records that Kinto took")
        }
    }

    /// Reads a collection page by page. The work of a device with the records is left out.
    func pull(_ count: Int, from collection: String) async throws {
        var next: String? = "/buckets/bench/collections/\(collection)/records?_limit=\(Self.page)"
        var received = 0
        while let path = next {
            let answer = try await client.call("GET", path)
            received += (answer.body["data"] as? [Any])?.count ?? 0
            next = answer.nextPage
        }
        try expect(received, count, "records that Kinto gave")
    }

    /// The fields of a contact as ``Contacts`` makes them.
    private static func contact(_ number: Int) -> [String: Any] {
        [
            "name": "name of person \(number)", "email": "person\(number)@example.org",
            "city": "city \(number % 1_000)",
            "street": "street \(number % 777), number \(number % 50)", "age": number % 90,
            "score": Double(number) * 0.37, "created": number * 60, "isActive": number % 2 == 0, "visits": number * 7,
            "company": "company \(number / 5_000)",
        ]
    }

    /// The address that Kinto prints in its log.
    private static func address(in log: String) throws -> String {
        for _ in 0..<300 {
            let text = try String(contentsOfFile: log, encoding: .utf8)
            if let match = text.firstMatch(of: /Serving on (http:\/\/[0-9.:]+)/) { return String(match.1) }
            Thread.sleep(forTimeInterval: 0.1)
        }
        throw BenchmarkError("Kinto does not start; its log is \(log)")
    }
}

/// A client of Kinto's protocol.
private struct KintoClient {
    private let base: String
    private let session = URLSession(configuration: .ephemeral)

    init(_ address: String) { base = address + "/v1" }

    /// - Parameter path: A path below the version, or a whole address.
    /// - Throws: ``BenchmarkError`` for an answer other than success.
    func call(
        _ method: String, _ path: String, _ body: [String: Any]? = nil
    ) async throws -> (body: [String: Any], nextPage: String?) {
        guard let url = URL(string: path.hasPrefix("http") ? path : base + path) else {
            throw BenchmarkError("\(path) is no address")
        }
        var request = URLRequest(url: url)
        request.httpMethod = method
        // With Kinto's default settings, any name is an account.
        request.setValue(
            "Basic \(Data("bench:secret".utf8).base64EncodedString())", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let body { request.httpBody = try JSONSerialization.data(withJSONObject: body) }
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse, 200..<300 ~= response.statusCode else {
            throw BenchmarkError(
                "Kinto answered \(method) \(path): \(String(decoding: data.prefix(300), as: UTF8.self))")
        }
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return (answer ?? [:], response.value(forHTTPHeaderField: "Next-Page"))
    }
}
