"""One node: containers run, services resolve, network policies hold, volumes are made and erased."""

import json
import socket
import sys
from pathlib import Path

from testbed import archives, cgroups, folders, processes, tools
from testbed.control_plane import ADMIN, SERVICE_CIDR, Site
from testbed.errors import TestbedError
from testbed.network import POD_CIDR
from testbed.processes import Part

NAME = "node"
DNS_ADDRESS = (
    "10.88.128.10"  # of the service range, but worn by the node itself: CoreDNS runs beside the pods, not in one
)
PAUSE_IMAGE = "localhost/pause:1"
# Folders in which a node's programs write at paths nobody can choose. Inside they are empty and vanish.
SHADOWED = (Path("/run"), Path("/var/log"), Path("/var/lib"))
# What a kubelet sets for the whole machine. Inside it writes to copies: a testbed changes nothing outside.
MACHINE_WIDE = tuple(
    Path("/proc/sys") / name
    for name in (
        "vm/overcommit_memory",
        "vm/panic_on_oom",
        "kernel/panic",
        "kernel/panic_on_oops",
        "kernel/keys/root_maxkeys",
        "kernel/keys/root_maxbytes",
    )
)


def start(site: Site, programs: dict[str, str]) -> list[Part]:
    """Turn this process's namespaces into a node of SITE's control plane; return when pods can run."""
    _shadow(site.folder)
    containerd = _start_containerd(site)
    _import_pause(site, Path(programs["pause"]))
    kubelet = site.component(
        "kubelet",
        f"--kubeconfig={site.kubeconfig('kubelet')}",
        f"--config={_write(site, 'kubelet.yaml', kubelet_config(site))}",
        f"--root-dir={site.folder}/kubelet",
        f"--cert-dir={site.folder}/kubelet-pki",
        f"--hostname-override={NAME}",
        f"--node-ip={site.address}",
    )
    proxy = site.component("kube-proxy", f"--config={_write(site, 'proxy.yaml', proxy_config(site))}")
    kubelet.until(lambda: _is_ready(site))  # before kube-router, which gives up when its node does not exist
    return [
        containerd,
        kubelet,
        proxy,
        _start_dns(site, programs),
        _start_policies(site, programs),
        _start_volumes(site),
    ]


def _shadow(folder: Path) -> None:
    for place in SHADOWED:
        if folder.is_relative_to(place):
            raise TestbedError(f"{folder} lies in {place}, which a node hides. Set XDG_CACHE_HOME to another place.")
        processes.run("mount", "-t", "tmpfs", "tmpfs", place)
    for sysctl in MACHINE_WIDE:
        stand_in = folders.made(folder / "sysctls") / sysctl.name
        stand_in.write_text(sysctl.read_text())
        processes.run("mount", "--bind", stand_in, sysctl)


def _start_containerd(site: Site) -> Part:
    _write(site, "cni/10-bridge.conflist", network_config())
    config = _write(site, "containerd.toml", containerd_config(site))
    containerd = Part(site.folder, "containerd", "containerd", "--config", config)
    containerd.until(Path("/run/containerd/containerd.sock").exists)
    return containerd


def _import_pause(site: Site, program: Path) -> None:
    archive = site.folder / "pause.tar"
    archives.write_image(archive, PAUSE_IMAGE, program)
    processes.run("ctr", "--namespace=k8s.io", "images", "import", archive)


def _start_dns(site: Site, programs: dict[str, str]) -> Part:
    processes.run("ip", "address", "add", f"{DNS_ADDRESS}/32", "dev", "lo")
    dns = Part(site.folder, "coredns", programs["coredns"], "-conf", _write(site, "Corefile", corefile(site)))
    dns.until(_dns_listens)
    return dns


def _start_policies(site: Site, programs: dict[str, str]) -> Part:
    return Part(
        site.folder,
        "kube-router",
        programs["kube-router"],
        f"--kubeconfig={site.kubeconfig(ADMIN)}",
        f"--hostname-override={NAME}",
        f"--service-cluster-ip-range={SERVICE_CIDR}",
        "--run-firewall=true",
        "--run-router=false",
        "--run-service-proxy=false",
        "--run-loadbalancer=false",
    )


def _start_volumes(site: Site) -> Part:
    home = folders.made(site.folder / "volumes")
    return Part(site.folder, "volumes", sys.executable, "-m", "testbed.volumes", site.kubeconfig(ADMIN), home)


def network_config() -> str:
    bridge = {
        "type": "bridge",
        "bridge": "cni0",
        "isGateway": True,
        "ipMasq": True,
        "hairpinMode": True,
        "ipam": {"type": "host-local", "ranges": [[{"subnet": POD_CIDR}]], "routes": [{"dst": "0.0.0.0/0"}]},
    }
    ports = {"type": "portmap", "capabilities": {"portMappings": True}}
    return json.dumps({"cniVersion": "1.0.0", "name": "testbed", "plugins": [bridge, ports]})


def containerd_config(site: Site) -> str:
    return f"""\
version = 2
root = "{site.folder}/containerd"
[plugins."io.containerd.internal.v1.opt"]
  path = "{site.folder}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE_IMAGE}"
  restrict_oom_score_adj = true   # inside a container nobody may lower their score
  disable_apparmor = true
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "{tools.cni_folder()}"
  conf_dir = "{site.folder}/cni"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
"""


def kubelet_config(site: Site) -> str:
    _write(site, "resolv.conf", "")
    return json.dumps(
        {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
            "address": site.address,
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"},
            "clusterDomain": "cluster.local",
            "clusterDNS": [DNS_ADDRESS],
            "resolvConf": f"{site.folder}/resolv.conf",
            "volumePluginDir": f"{site.folder}/volume-plugins",
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": cgroups.root(site.folder.name),
            "failCgroupV1": False,
            "failSwapOn": False,
            "featureGates": {"KubeletInUserNamespace": True},  # go on where a sysctl cannot be written
            "localStorageCapacityIsolation": False,
            # The disk is the developer's, and often fuller than a node's may be.
            "evictionHard": {"memory.available": "1Mi", "nodefs.available": "0%", "imagefs.available": "0%"},
            "imageGCHighThresholdPercent": 100,
            "imageGCLowThresholdPercent": 99,
            "syncFrequency": "5s",
            "nodeStatusUpdateFrequency": "2s",
        }
    )


def proxy_config(site: Site) -> str:
    return json.dumps(
        {
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
            "kind": "KubeProxyConfiguration",
            "mode": "iptables",
            "bindAddress": site.address,
            "clientConnection": {"kubeconfig": str(site.kubeconfig("proxy"))},
            "clusterCIDR": POD_CIDR,
            "hostnameOverride": NAME,
            "conntrack": {"maxPerCore": 0},  # the table's size is the whole machine's
        }
    )


def corefile(site: Site) -> str:
    return f"""\
.:53 {{
  bind {DNS_ADDRESS}
  errors
  kubernetes cluster.local in-addr.arpa {{
    kubeconfig {site.kubeconfig(ADMIN)}
    pods insecure
  }}
  cache 1
}}
"""


def _is_ready(site: Site) -> bool:
    path = "--output=jsonpath={.items[*].status.conditions[?(@.type=='Ready')].status}"
    return site.kubectl("get", "nodes", path) == "True"


def _dns_listens() -> bool:
    try:
        socket.create_connection((DNS_ADDRESS, 53), timeout=1).close()
    except OSError:
        return False
    return True


def _write(site: Site, name: str, text: str) -> Path:
    file = site.folder / name
    folders.made(file.parent)
    file.write_text(text)
    return file
