#!/usr/bin/env bash
# The files under deploy/ with the programs that read them, as far as they are installed: systemd-analyze, nginx, PyYAML. The options of
# attend in them are options that it has.
#
#   deploy_test.sh ROOT ATTEND
set -euo pipefail

root=$1 attend=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
help=$("$attend" serve --help | sed 's/--\[no-\]\([a-z-]*\)/--\1 --no-\1/')
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}

for option in $(grep -ohE -- '--[a-z][a-z-]*' "$root"/deploy/{attend.service,Containerfile,kubernetes.yaml} | grep -vE -- '--(now|no-install-recommends|rm|from)$' |
  sort -u); do
  grep -q -- "$option" <<<"$help" || fail "deploy/ uses $option, which attend serve does not have"
done

if command -v systemd-analyze >/dev/null; then
  sed "s|/usr/bin/attend|$attend|" "$root/deploy/attend.service" >"$folder/attend.service"
  # Other units of the machine may have warnings of their own.
  complaints=$(systemd-analyze verify "$folder/attend.service" 2>&1 | grep attend.service || true)
  [ -z "$complaints" ] || fail "$complaints"
else
  echo "skipped: systemd-analyze is not installed"
fi

if command -v nginx >/dev/null && command -v openssl >/dev/null; then
  openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=test -days 1 -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>/dev/null
  sed "s|/etc/letsencrypt/live/translate.example.org/fullchain.pem|$folder/cert.pem|
       s|/etc/letsencrypt/live/translate.example.org/privkey.pem|$folder/key.pem|" "$root/deploy/nginx.conf" >"$folder/attend.conf"
  printf 'pid %s/pid;\nerror_log stderr;\nevents {}\nhttp {\n  access_log off;\n  include %s/attend.conf;\n}\n' "$folder" "$folder" >"$folder/nginx.conf"
  for place in client_body proxy fastcgi uwsgi scgi; do
    sed -i "s|access_log off;|access_log off;\n  ${place}_temp_path $folder/$place;|" "$folder/nginx.conf"
  done
  nginx -t -q -c "$folder/nginx.conf" -p "$folder" -e stderr || fail "nginx refuses deploy/nginx.conf"
else
  echo "skipped: nginx is not installed"
fi

if python3 -c 'import yaml' 2>/dev/null; then
  python3 - "$root/deploy/kubernetes.yaml" <<'END' || fail "deploy/kubernetes.yaml"
import sys, yaml

documents = {document["kind"]: document for document in yaml.safe_load_all(open(sys.argv[1]))}
assert documents.keys() == {"Deployment", "Service", "HorizontalPodAutoscaler"}, documents.keys()
assert {d["apiVersion"] for d in documents.values()} == {"apps/v1", "v1", "autoscaling/v2"}
deployment = documents["Deployment"]["spec"]
labels = deployment["template"]["metadata"]["labels"]
assert labels == deployment["selector"]["matchLabels"] == documents["Service"]["spec"]["selector"]
pod = deployment["template"]["spec"]
assert pod["terminationGracePeriodSeconds"] > 30
[container] = pod["containers"]
ports = {port["name"] for port in container["ports"]}
for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
    assert container[probe]["httpGet"]["path"] in ("/health", "/ready") and container[probe]["httpGet"]["port"] in ports, probe
assert documents["Service"]["spec"]["ports"][0]["targetPort"] in ports
assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
assert "memory" in container["resources"]["limits"]
target = documents["HorizontalPodAutoscaler"]["spec"]
assert target["scaleTargetRef"]["name"] == documents["Deployment"]["metadata"]["name"]
assert target["metrics"][0]["pods"]["metric"]["name"] == "attend_queue_tokens"
END
  python3 - "$root/deploy/mpijob.yaml" "$attend" <<'END' || fail "deploy/mpijob.yaml"
import subprocess, sys, yaml

job = yaml.safe_load(open(sys.argv[1]))
assert (job["apiVersion"], job["kind"]) == ("kubeflow.org/v2beta1", "MPIJob")
replicas = job["spec"]["mpiReplicaSpecs"]
[launcher] = replicas["Launcher"]["template"]["spec"]["containers"]
[worker] = replicas["Worker"]["template"]["spec"]["containers"]
arguments = launcher["args"]
processes = int(arguments[arguments.index("-n") + 1])
assert processes == replicas["Worker"]["replicas"] * job["spec"]["slotsPerWorker"]
assert int(arguments[arguments.index("--shards") + 1]) % processes == 0
assert arguments[arguments.index("--threads") + 1] == worker["resources"]["requests"]["cpu"]
command = arguments[arguments.index("attend") + 1:]
help = subprocess.run([sys.argv[2], *command[:2], "--help"], capture_output=True, text=True, check=True).stdout
for option in command:
    assert not option.startswith("--") or option in help.replace("[no-]", ""), option
END
else
  echo "skipped: PyYAML is not installed"
fi
exit $failed
