import AsyncHTTPClient
import Backstitch
import BackstitchServer
import BackstitchTestKit
import Foundation
import Logging
import NIOCore
import NIOHTTP1

/// A server that answers pushes until the power is cut. Acknowledged records must exist afterwards, and a record
/// acknowledged twice must have the later value.
struct ServerScenario {
    private let disk: Disk
    private var random: SeededGenerator
    /// The acknowledged value of each record.
    private var acknowledged: [String: Int] = [:]
    /// The last value that was sent, of each record.
    private var sent: [String: Int] = [:]
    private var hasZone = false

    init(_ disk: Disk, _ random: SeededGenerator) {
        self.disk = disk
        self.random = random
    }

    /// Some cuts, each after what the one before has left.
    mutating func live(_ tally: inout Tally) async throws {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            tally.cuts += 1
            disk.cut(after: Int.random(in: 0..<400, using: &random))
            tally.acknowledged += try await workUntilCut()
            let left = try disk.leftOpen()
            guard left.isEmpty else { throw Wrong("left open: \(left)") }
            try disk.restore()
            tally.kept += try await check()
        }
    }

    private func server() throws -> ZoneServer {
        var configuration = ZoneServerConfiguration(
            storage: .directory(URL(fileURLWithPath: disk.folder).appending(path: "server")))
        configuration.port = 0
        configuration.logger = Logger(label: "power cuts") { _ in SwiftLogNoOpLogHandler() }
        return try ZoneServer(configuration: configuration)
    }

    /// Gives how many pushes were acknowledged.
    private mutating func workUntilCut() async throws -> Int {
        var count = 0
        do {
            let server = try server()
            let url = try await server.start()
            do {
                try await makeZone(url)
                while !disk.isOff {
                    let name = "r\(Int.random(in: 0..<40, using: &random))"
                    let value = (sent[name] ?? 0) + 1
                    sent[name] = value
                    guard try await push(name, value, url) else {
                        guard disk.isOff else { throw Wrong("the push of \(name) was refused, with power") }
                        break
                    }
                    acknowledged[name] = value
                    count += 1
                }
            } catch {
                guard disk.isOff else { throw error }
            }
            do { try await server.stop() } catch { guard disk.isOff else { throw error } }
        } catch {
            guard disk.isOff else { throw error }
        }
        return count
    }

    private mutating func makeZone(_ url: URL) async throws {
        _ = try await call(
            "zones/modify", #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#, url)
    }

    /// Whether the server has acknowledged it. Texts of some length let its log grow.
    private mutating func push(_ name: String, _ value: Int, _ url: URL) async throws -> Bool {
        let text = String(repeating: "x", count: Int.random(in: 0..<2_000, using: &random))
        let answer = try await call(
            "records/modify",
            """
            {"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"forceReplace","record":{"recordType":"T",\
            "recordName":"\(name)","fields":{"n":{"value":\(value)},"text":{"value":"\(text)"}}}}]}
            """, url)
        guard let record = (answer?["records"] as? [[String: Any]])?.first else { return false }
        return record["serverErrorCode"] == nil
    }

    /// Gives how many values are there that were not acknowledged.
    private mutating func check() async throws -> Int {
        let server = try server()
        let url = try await server.start()
        do {
            let more = try await compare(url)
            try await server.stop()
            return more
        } catch {
            try await server.stop()
            throw error
        }
    }

    private mutating func compare(_ url: URL) async throws -> Int {
        guard !sent.isEmpty else { return 0 }
        var found: [String: Int] = [:]
        if let answer = try await lookup(url) {
            for record in answer {
                guard let name = record["recordName"] as? String,
                    let fields = record["fields"] as? [String: [String: Any]]
                else { continue }
                found[name] = (fields["n"]?["value"] as? NSNumber)?.intValue
            }
        }
        for (name, value) in acknowledged where (found[name] ?? 0) < value {
            throw Wrong("lost: \(name) has \(found[name].map(String.init) ?? "nothing"), \(value) was acknowledged")
        }
        for (name, value) in found where value > sent[name] ?? 0 { throw Wrong("\(name) has \(value), never sent") }
        let more = found.filter { $0.value > acknowledged[$0.key] ?? 0 }.count
        (acknowledged, sent) = (found, found)
        return more
    }

    private func lookup(_ url: URL) async throws -> [[String: Any]]? {
        let names = sent.keys.sorted().map { #"{"recordName":"\#($0)"}"# }.joined(separator: ",")
        let answer = try await call("records/lookup", #"{"zoneID":{"zoneName":"Z"},"records":[\#(names)]}"#, url)
        return answer?["records"] as? [[String: Any]]
    }

    /// The answer; nil when it is an error.
    private func call(_ path: String, _ body: String, _ url: URL) async throws -> [String: Any]? {
        var request = HTTPClientRequest(
            url: url.appending(path: "database/1/iCloud.cuts/development/private/\(path)").absoluteString)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        let bytes = try await response.body.collect(upTo: 16 << 20)
        guard response.status == .ok else { return nil }
        return try JSONSerialization.jsonObject(with: Data(bytes.readableBytesView)) as? [String: Any]
    }
}
