import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("the files of Operations")
struct OperationFileTests {
    /// The Dockerfile, compose.yaml and the unit, as far as a server's options depend on them.
    private let dockerfile: [String], compose: [String], unit: [String]

    init() throws {
        func lines(_ name: String) throws -> [String] {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Operations")
            return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                .replacing("\\\n", with: " ").split(separator: "\n").map(String.init)
        }
        dockerfile = try lines("Dockerfile")
        compose = try lines("compose.yaml")
        unit = try lines("backstitch.service")
    }

    /// The words after `beginning` in the only line that begins so.
    private func words(_ beginning: String, in lines: [String]) throws -> [String] {
        let found = lines.filter { $0.hasPrefix(beginning) }
        try #require(found.count == 1, "\(beginning): \(found)")
        return found[0].dropFirst(beginning.count).split(separator: " ").map(String.init)
    }

    /// The elements of a list of the service in compose.yaml.
    private func list(_ name: String) throws -> [String] {
        let start = try #require(compose.firstIndex { $0 == "    \(name):" }, "\(name)")
        return compose[(start + 1)...].prefix { $0.hasPrefix("     ") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0.hasPrefix("- ") }.map { String($0.dropFirst(2)) }
    }

    /// The seconds of an entry such as `40s`.
    private func seconds(_ beginning: String, in lines: [String]) throws -> Int {
        let text = try #require(try words(beginning, in: lines).first)
        return try #require(Int(text.replacing("s", with: "")), "\(text)")
    }

    /// The arguments of `serve` in the container: those of its image, then those of compose.yaml.
    private func containerArguments() throws -> [String] {
        let text = try words("ENTRYPOINT", in: dockerfile).joined(separator: " ")
        let all = try JSONDecoder().decode([String].self, from: Data(text.utf8))
        #expect(all.prefix(2) == ["/usr/local/bin/backstitch", "serve"])
        return all.dropFirst(2) + (try list("command"))
    }

    private func unitArguments() throws -> [String] {
        let all = try words("ExecStart=", in: unit)
        #expect(all.prefix(2) == ["/usr/local/bin/backstitch", "serve"])
        return Array(all.dropFirst(2))
    }

    /// The address that the image's health check asks.
    private func healthAddress() throws -> String {
        let check = try words("HEALTHCHECK ", in: dockerfile).joined(separator: " ")
        let command = try #require(check.range(of: "CMD "), "\(check)")
        return try #require(try JSONDecoder().decode([String].self, from: Data(check[command.upperBound...].utf8)).last)
    }

    /// The value of an option.
    private func value(_ option: String, in arguments: [String]) throws -> String {
        for (index, argument) in arguments.enumerated() {
            if argument.hasPrefix(option + "=") { return String(argument.dropFirst(option.count + 1)) }
            if argument == option, index + 1 < arguments.count { return arguments[index + 1] }
        }
        throw TestFailure("no \(option) in \(arguments)")
    }

    @Test("start a server, which answers its health check", arguments: ["compose.yaml", "backstitch.service"])
    func serves(_ file: String) async throws {
        var arguments = try file == "compose.yaml" ? containerArguments() : unitArguments()
        let folder = try TemporaryFolder(), users = folder.url.appending(path: "users.txt")
        let token = try await TestProcess("backstitch", ["token", "ada"], errors: .withOutput).ended()
        let line = try #require(token.lines.last?.split(separator: ":", maxSplits: 1).last)
        try "\(line.trimmingCharacters(in: .whitespaces))\n".write(to: users, atomically: true, encoding: .utf8)
        // The places of this test instead of the container's; all else is as it is there.
        let places = [
            "--port": "0", "--admin-port": "0", "--storage": folder.url.appending(path: "zones").path,
            "--users": users.path,
        ]
        for (option, place) in places {
            let value = try value(option, in: arguments)
            arguments = arguments.map { $0 == value ? place : $0 == "\(option)=\(value)" ? "\(option)=\(place)" : $0 }
        }
        let process = try TestProcess(
            "backstitch", ["serve"] + arguments + ["--until-input-ends", "--log-level", "critical"],
            errors: .withOutput)
        defer { process.stop() }
        let first = try await process.nextLine() ?? "nothing"
        #expect(first.hasPrefix("backstitch serves at "), "\(first)")
        guard first.hasPrefix("backstitch serves at ") else { return }
        let second = try #require(try await process.nextLine())
        let port = try #require(second.split(separator: ":").last.map { $0.prefix(while: \.isNumber) })
        let url = try #require(URL(string: healthAddress().replacing(":9090", with: ":\(port)")))
        let (_, answer) = try await URLSession.shared.data(from: url)
        #expect((answer as? HTTPURLResponse)?.statusCode == 200, "\(url)")
    }

    @Test("name the same ports, folders and files everywhere, and open the operators' port to this machine only")
    func places() throws {
        let arguments = try containerArguments()
        let ports = [try value("--port", in: arguments), try value("--admin-port", in: arguments)]
        #expect(try words("EXPOSE ", in: dockerfile) == ports)
        let published = try list("ports").map { $0.split(separator: ":").map(String.init) }
        #expect(published.compactMap(\.last) == ports)
        #expect(published.allSatisfy { $0.count == 3 && $0[0] == "127.0.0.1" }, "\(published)")
        #expect(try healthAddress() == "http://127.0.0.1:\(ports[1])/health")
        let volumes = try list("volumes").map { $0.split(separator: ":").map(String.init) }
        let storage = try value("--storage", in: arguments), users = try value("--users", in: arguments)
        #expect(volumes.contains { $0 == ["zones", storage] }, "\(volumes)")
        #expect(try words("VOLUME ", in: dockerfile) == [storage])
        #expect(volumes.contains { $0 == ["./users.txt", users, "ro"] }, "\(volumes)")
        let service = try unitArguments()
        let state = try #require(try words("StateDirectory=", in: unit).first)
        let configuration = try #require(try words("ConfigurationDirectory=", in: unit).first)
        #expect(try value("--storage", in: service) == "/var/lib/\(state)")
        #expect(try value("--users", in: service).hasPrefix("/etc/\(configuration)/"))
    }

    @Test("wait for the end of a server for longer than it takes")
    func end() throws {
        for (arguments, seconds) in [
            (try containerArguments(), try seconds("    stop_grace_period: ", in: compose)),
            (try unitArguments(), try seconds("TimeoutStopSec=", in: unit)),
        ] {
            let drain = try #require(Int(try value("--drain-seconds", in: arguments)))
            // The 10 seconds that requests have to end, and some for the storage.
            #expect(seconds >= drain + 15)
        }
    }

    @Test("trust the gateways of Docker's networks, and no addresses of the internet")
    func proxies() throws {
        let networks = try value("--trusted-proxy", in: containerArguments()).split(separator: ",").map(String.init)
        func number(_ address: some StringProtocol) -> UInt32 {
            address.split(separator: ".").reduce(0) { $0 << 8 | (UInt32($1) ?? 0) }
        }
        func isTrusted(_ address: String) throws -> Bool {
            try networks.contains { network in
                let parts = network.split(separator: "/")
                let length = try #require(UInt32(parts[1]))
                return (number(parts[0]) ^ number(address)) >> (32 - length) == 0
            }
        }
        // https://docs.docker.com/engine/network/#subnet-allocation
        for gateway in ["172.17.0.1", "172.18.0.1", "172.31.0.1", "192.168.0.1", "192.168.240.1"] {
            #expect(try isTrusted(gateway), "\(gateway)")
        }
        for stranger in ["172.32.0.1", "172.15.255.255", "192.169.0.1", "8.8.8.8", "100.64.0.1"] {
            #expect(try !isTrusted(stranger), "\(stranger)")
        }
    }
}
