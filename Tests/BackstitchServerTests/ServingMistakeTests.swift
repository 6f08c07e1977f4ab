import BackstitchServer
import BackstitchTestKit
import Foundation
import Testing

@Suite("mistakes in starting a server", .timeLimit(.minutes(5)))
struct ServingMistakeTests {
    @Test("are told with what is wrong and what to do", arguments: mistakes)
    func told(_ mistake: Mistake) async {
        let flaw = await mistake.flaw()
        #expect(flaw == nil)
    }

    private static let mistakes = [
        Mistake("a port that is in use", throws: "port ", "of 127.0.0.1 is in use", "--port") {
            try await withServer { url in try await start("127.0.0.1", port: url.port ?? 0) }
        },
        Mistake("the address of another machine", throws: "192.0.2.1 is not an address of this machine", "--host") {
            try await start("192.0.2.1", port: 0) {
                $0.allowsInsecureHTTP = true
                $0.users = [.init(userRecordName: "_ann", webAuthToken: strong("ann"))]
            }
        },
        Mistake("a folder of storage that cannot be", throws: "/dev/null/zones") {
            try await start("127.0.0.1", port: 0) { $0.storage = .directory(URL(filePath: "/dev/null/zones")) }
        },
        Mistake("a token that could be guessed", throws: "22 characters") {
            try await start("127.0.0.1", port: 0) { $0.users = [.init(userRecordName: "_ann", webAuthToken: "secret")] }
        },
        Mistake("tokens, and no word of the containers", throws: "--container") {
            let token = strong("ann")
            try await start("127.0.0.1", port: 0) {
                $0.containers = ZoneServerConfiguration(storage: .memory).containers
                $0.users = [.init(userRecordName: "_ann", webAuthToken: token)]
            }
        },
    ]

    private static func start(
        _ host: String, port: Int, _ configure: (inout ZoneServerConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = ZoneServerConfiguration(host: host, port: port, storage: .memory)
        configuration.containers = .any
        configure(&configuration)
        let server = try ZoneServer(configuration: configuration)
        _ = try await server.start()
        try await server.stop()
    }

    /// Works beside a server.
    private static func withServer(_ body: (URL) async throws -> Void) async throws {
        var configuration = ZoneServerConfiguration(port: 0, storage: .memory)
        configuration.containers = .any
        let server = try ZoneServer(configuration: configuration)
        let url = try await server.start()
        let result: Result<Void, any Error>
        do { result = .success(try await body(url)) } catch { result = .failure(error) }
        try await server.stop()
        try result.get()
    }
}
