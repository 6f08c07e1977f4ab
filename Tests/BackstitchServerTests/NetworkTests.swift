import NIOCore
import Testing

@testable import BackstitchServer

@Suite("the machines that limits count")
struct NetworkTests {
    private func network(_ address: String) throws -> String {
        try SocketAddress(ipAddress: address, port: 443).network
    }

    @Test("an IPv4 address is one machine, also where a socket of both kinds gives it within an IPv6 one")
    func mapped() throws {
        #expect(try network("192.0.2.1") == "192.0.2.1")
        #expect(try network("::ffff:192.0.2.1") == "192.0.2.1")
        #expect(try network("::ffff:192.0.2.2") == "192.0.2.2")
    }

    @Test("all addresses of an IPv6 network of 64 bits are one machine, those of another one are not")
    func network() throws {
        #expect(try network("2001:db8:1:2::1") == network("2001:db8:1:2:ffff::9"))
        #expect(try network("2001:db8:1:2::1") != network("2001:db8:1:3::1"))
    }

    @Test("public reading counts by machine, a user's requests by the user")
    func account() throws {
        func account(_ user: String, _ address: String) throws -> String {
            let scope = RequestScope(
                container: "iCloud.test", environment: "development",
                database: DatabaseKey(
                    tenant: "iCloud.test/development", scope: .public, owner: DatabaseKey.publicOwner),
                user: user, mayWrite: false, extensions: false,
                limits: ZoneServerConfiguration(storage: .memory).standardLimits,
                network: try network(address), baseURL: "http://localhost")
            return scope.account
        }
        let world = RequestScope.world
        #expect(try account(world, "2001:db8:1:2::1") == account(world, "2001:db8:1:2:ffff::9"))
        #expect(try account(world, "2001:db8:1:2::1") != account(world, "2001:db8:1:3::1"))
        #expect(try account(world, "192.0.2.1") != account(world, "192.0.2.2"))
        #expect(try account("_ann", "192.0.2.1") == account("_ann", "2001:db8:1:2::1"))
    }

    @Test("a socket of the file system has no address")
    func local() throws {
        #expect(try SocketAddress(unixDomainSocketPath: "/tmp/socket").network == "")
    }
}
